package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const faultsUsage = `usage: control-plane faults --write FILE [FLAG...]

Runs a proxy before the API server of a kubeconfig, on a free port of 127.0.0.1, and forwards requests as the user of that kubeconfig. It writes a
kubeconfig for the clients that get the faults. It prints a line of JSON once it listens, and runs until standard input closes (unless it is /dev/null) or
SIGTERM arrives. Then it prints the number of faults. It injects no fault before the first command.

Standard input takes one command per line. Each response is one line of JSON. SHARE is the share of the requests that get the fault, from 0 to 1:
  too-many SHARE [TIME]    answer any request with 429 and Retry-After, in whole seconds (1s)
  broken SHARE             answer any request with 500 and 503, in turn
  slow SHARE [TIME]        delay any request by up to TIME (2s)
  lost SHARE               drop any request before the API server, and close the connection
  unheard SHARE            forward a write, drop its response, and close the connection
  cut SHARE [TIME]         break a watch within TIME (2s), also in the middle of an event
  expired SHARE [TIME]     end a watch within TIME (2s) with ERROR 410: its version is too old
  forgotten SHARE          answer the next page of a list with 410: it is too old
  break                    break every open watch; counted as cut
  calm                     inject no further faults; faults in progress continue
  counts                   only print the counts
Each response has the counts so far: {"injected":{"too-many":3,…},"early":{…}}. "unheard" counts only writes that the API server accepted. "early" counts
the requests before the time that a response 429 named, by verb and path.

`

func runFaults(arguments []string) int {
	flags, config := subcommand("faults", faultsUsage)
	write := flags.String("write", "", "`FILE` for the kubeconfig of the clients that get the faults")
	seed := flags.Uint64("seed", 1, "seed: repeats the choice of requests, if they come in the same order")
	page := flags.Int("page", 0, "maximum length `N` of a page of a list; 0: as requested")
	if err := flags.Parse(arguments); err != nil {
		return parseStatus(err)
	}
	if *write == "" {
		return failed(errors.New("--write is missing: name a file for the kubeconfig of the clients that get the faults"), 2)
	}
	front, err := newFront(*config, newSchedule(*seed), *page)
	if err != nil {
		return failed(err, 2)
	}
	ctx, stop, lines := untilAsked()
	defer stop()
	server, err := serveFaults(front, *write)
	if err != nil {
		return failed(err, 1)
	}
	front.obeyAll(ctx, lines)
	_ = server.Close()
	answer(front.schedule.counts())
	return 0
}

// obeyAll runs the commands of standard input until its end.
func (f *front) obeyAll(ctx context.Context, lines <-chan string) {
	for {
		select {
		case <-ctx.Done():
			return
		case line := <-lines:
			if err := f.obey(strings.Fields(line)); err != nil {
				answer(map[string]any{"error": err.Error()})
			} else {
				answer(f.schedule.counts())
			}
		}
	}
}

func (f *front) obey(words []string) error {
	if len(words) == 1 && words[0] == "break" {
		f.watches.breakAll()
		return nil
	}
	return f.schedule.obey(words)
}

// serveFaults starts the proxy, writes its kubeconfig and prints the line of readiness.
func serveFaults(front *front, write string) (*http.Server, error) {
	key, certificate, err := selfSigned()
	if err != nil {
		return nil, fmt.Errorf("no certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("no certificate: %w", err)
	}
	socket, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no free port on 127.0.0.1: %w", err)
	}
	front.token = randomToken()
	url := "https://" + socket.Addr().String()
	if err := os.WriteFile(write, kubeconfig("faults", url, certificate, front.token), 0o600); err != nil {
		return nil, err
	}
	server := &http.Server{Handler: front, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.ServeTLS(socket, "", "") }() // ends when the server is closed
	answer(map[string]any{"faults": "none yet", "server": url, "kubeconfig": write})
	return server, nil
}

// untilAsked ends as untilTold does, and passes on the lines of standard input.
func untilAsked() (context.Context, context.CancelFunc, <-chan string) {
	told, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ctx, closed := context.WithCancel(told)
	lines := make(chan string)
	go listen(ctx, lines, closed)
	return ctx, stop, lines
}
