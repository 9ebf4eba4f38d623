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

Stands before the API server of a kubeconfig, on a free port of 127.0.0.1, and passes everything on as the user of that kubeconfig; whoever is to meet faults
is given the kubeconfig that it writes. Once it listens it prints a line of JSON, and it lives until standard input closes (unless that is /dev/null) or
SIGTERM comes; then it prints how many faults there were. Until it is told of any there are none.

Standard input takes commands, one a line, each answered by one line of JSON. A SHARE is that of the requests that the fault can befall, from 0 to 1:
  too-many SHARE [TIME]    any request is answered with 429 and Retry-After, in whole seconds, 1s
  broken SHARE             any request is answered with 500 or 503, by turns
  slow SHARE [TIME]        any request waits up to so long before it is passed on, 2s
  lost SHARE               any request is lost before it reaches the API server: the connection ends
  unheard SHARE            a write is passed on, and its answer is lost: the connection ends
  cut SHARE [TIME]         a watch breaks within so long, 2s, also in the middle of an event
  expired SHARE [TIME]     a watch tells within so long, 2s, that its version is too old (ERROR 410), and ends
  forgotten SHARE          the next page of a list is too old (410)
  break                    every watch that goes on now breaks; counts as cut
  calm                     none of these any more, except what goes on
  counts                   changes nothing
The answer counts what there was so far: {"injected":{"too-many":3,…},"early":{…}}. "unheard" counts only writes that the API server took. "early" says how
much came before the time that an answer 429 had named, by verb and path.

`

func runFaults(arguments []string) int {
	flags, config := subcommand("faults", faultsUsage)
	write := flags.String("write", "", "`FILE` for the kubeconfig of those who are to meet faults")
	seed := flags.Uint64("seed", 1, "repeats which requests meet one, as far as they come in the same order")
	page := flags.Int("page", 0, "no page of a list is longer than `N`; 0: as asked for")
	if err := flags.Parse(arguments); err != nil {
		return parseStatus(err)
	}
	if *write == "" {
		return failed(errors.New("--write is missing: name a file for the kubeconfig that leads through the faults"), 2)
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

// obeyAll does what is said until it is to end.
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

// serveFaults listens, writes the kubeconfig and says so.
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
	go func() { _ = server.ServeTLS(socket, "", "") }() // it ends when it is closed
	answer(map[string]any{"faults": "none yet", "server": url, "kubeconfig": write})
	return server, nil
}

// untilAsked is over as untilTold is, and passes on the lines of standard input.
func untilAsked() (context.Context, context.CancelFunc, <-chan string) {
	told, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ctx, closed := context.WithCancel(told)
	lines := make(chan string)
	go listen(ctx, lines, closed)
	return ctx, stop, lines
}
