import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;

/** A program that locks with Curator: does what it reads, line by line, and answers each line. */
public class CuratorPeer {
  public static void main(String[] args) throws Exception {
    int sessionMs = Integer.parseInt(args[2]);
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(args[0], sessionMs, 15_000, new RetryOneTime(100));
    client.start();
    InterProcessMutex mutex = new InterProcessMutex(client, args[1]);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "acquire":
          mutex.acquire();
          answer("acquired");
          break;
        case "try":
          answer(String.valueOf(mutex.acquire(Long.parseLong(words[1]), TimeUnit.MILLISECONDS)));
          break;
        case "release":
          mutex.release();
          answer("released");
          break;
        case "loop":
          for (int round = Integer.parseInt(words[1]); round > 0; round--) {
            mutex.acquire();
            Path counter = Path.of(words[2]);
            int count = Integer.parseInt(Files.readString(counter));
            Thread.sleep(1);
            Files.writeString(counter, String.valueOf(count + 1));
            mutex.release();
          }
          answer("done");
          break;
      }
    }
    client.close();
  }

  private static void answer(String text) {
    System.out.println(text);
    System.out.flush();
  }
}
