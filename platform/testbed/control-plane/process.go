package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	readyLimit  = 90 * time.Second
	endLimit    = 10 * time.Second
	shownOfLog  = 1500 // bytes
	betweenAsks = 20 * time.Millisecond
)

// The process of a component. It ends with this program, also if this program is killed.
type process struct {
	command *exec.Cmd
	done    chan struct{} // closed at the end of the process
	err     error         // the error of its end; set before done is closed
}

// startProcess must be called on a thread that runs until the end of this program: the kernel kills the child with the thread that created it.
func startProcess(each *part, log string, ended chan<- *part) (*process, error) {
	output, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	command := exec.Command(each.program, each.arguments...)
	command.Stdout, command.Stderr = output, output
	command.SysProcAttr = endsWithParent()
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", each.name, err)
	}
	started := &process{command: command, done: make(chan struct{})}
	go func() {
		started.err = command.Wait()
		close(started.done)
		ended <- each
	}()
	return started, nil
}

func (p *process) signal(which syscall.Signal) error { return p.command.Process.Signal(which) }

func (p *process) isDone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// end terminates the process, waits for its end, and kills it after a timeout.
func (p *process) end(first syscall.Signal) {
	_ = p.signal(first)
	_ = p.signal(syscall.SIGCONT)
	select {
	case <-p.done:
	case <-time.After(endLimit):
		_ = p.signal(syscall.SIGKILL)
		<-p.done
	}
}

// The client for readiness checks.
type prober struct {
	client *http.Client
	token  string
}

func newProber(secret credentials) prober {
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(secret.authority)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, DisableKeepAlives: true}
	return prober{client: &http.Client{Timeout: 2 * time.Second, Transport: transport}, token: secret.admin}
}

// await returns when the component is ready.
func (p prober) await(ctx context.Context, each *part, log string) error {
	limit := time.After(readyLimit)
	for !p.isReady(ctx, each.readiness) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-each.process.done:
			return fmt.Errorf("%s ended before it was ready (%v); its log ends with\n%s", each.name, each.process.err, tail(log))
		case <-limit:
			return fmt.Errorf("%s is not ready after %s; its log ends with\n%s", each.name, readyLimit, tail(log))
		case <-time.After(betweenAsks):
		}
	}
	return nil
}

func (p prober) isReady(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	request.Header.Set("Authorization", "Bearer "+p.token)
	answer, err := p.client.Do(request)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

func logOf(folder string, each *part) string { return filepath.Join(folder, each.name+".log") }

// tail returns the last lines of a file.
func tail(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	if len(content) > shownOfLog {
		content = content[len(content)-shownOfLog:]
		_, content, _ = bytes.Cut(content, []byte("\n"))
	}
	return string(content)
}
