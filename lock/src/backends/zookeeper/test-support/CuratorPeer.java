import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;

/**
 * A program that locks with Curator. A line is `contender verb arguments`; the answer has the contender in front, too. Each
 * contender is a thread with a mutex of its own, since Curator tells owners apart by their threads.
 */
public class CuratorPeer {
  private static CuratorFramework client;

  public static void main(String[] args) throws Exception {
    int sessionMs = Integer.parseInt(args[1]);
    client = CuratorFrameworkFactory.newClient(args[0], sessionMs, 15_000, new RetryOneTime(100));
    client.start();
    Map<String, Contender> contenders = new HashMap<>();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      String[] words = line.split(" ");
      contenders.computeIfAbsent(words[0], Contender::new).take(words);
    }
    System.exit(0);
  }

  private static class Contender {
    private final String id;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private InterProcessMutex mutex;

    Contender(String id) {
      this.id = id;
    }

    void take(String[] words) {
      thread.submit(
          () -> {
            String answer;
            try {
              answer = act(words);
            } catch (Exception problem) {
              answer = problem.toString();
            }
            synchronized (System.out) {
              System.out.println(id + " " + answer);
              System.out.flush();
            }
          });
    }

    private String act(String[] words) throws Exception {
      switch (words[1]) {
        case "open":
          mutex = new InterProcessMutex(client, words[2]);
          return "opened";
        case "acquire":
          mutex.acquire();
          return "acquired";
        case "try":
          return String.valueOf(mutex.acquire(Long.parseLong(words[2]), TimeUnit.MILLISECONDS));
        case "release":
          mutex.release();
          return "released";
        case "count":
          for (int round = Integer.parseInt(words[2]); round > 0; round--) {
            mutex.acquire();
            Path counter = Path.of(words[3]);
            int count = Integer.parseInt(Files.readString(counter));
            Thread.sleep(1);
            Files.writeString(counter, String.valueOf(count + 1));
            mutex.release();
          }
          return "counted";
        default:
          return "unknown verb " + words[1];
      }
    }
  }
}
