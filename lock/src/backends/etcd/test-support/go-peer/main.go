// A program that locks with etcd's own package concurrency: does what it reads, line by line, and answers each line.
// Arguments: an endpoint, the name of the lock, and the TTL of its session in seconds.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
)

func main() {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{os.Args[1]}, DialTimeout: 10 * time.Second})
	must(err)
	session, err := concurrency.NewSession(client, concurrency.WithTTL(number(os.Args[3])))
	must(err)
	mutex := concurrency.NewMutex(session, os.Args[2])
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch words[0] {
		case "acquire":
			must(mutex.Lock(context.Background()))
			fmt.Println("acquired")
		case "try":
			patience := time.Duration(number(words[1])) * time.Millisecond
			limited, cancel := context.WithTimeout(context.Background(), patience)
			err := mutex.Lock(limited)
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				must(err)
			}
			fmt.Println(err == nil)
		case "release":
			must(mutex.Unlock(context.Background()))
			fmt.Println("released")
		case "count":
			for round := number(words[1]); round > 0; round-- {
				must(mutex.Lock(context.Background()))
				count, err := os.ReadFile(words[2])
				must(err)
				time.Sleep(time.Millisecond)
				must(os.WriteFile(words[2], []byte(strconv.Itoa(number(string(count))+1)), 0o600))
				must(mutex.Unlock(context.Background()))
			}
			fmt.Println("counted")
		}
	}
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	must(err)
	return value
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
