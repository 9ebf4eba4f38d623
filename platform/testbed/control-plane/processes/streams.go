//go:build linux

package processes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"syscall"
	"time"

	api "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

const afterOutput = time.Second // for output after the end of a command

// startStreams listens for the connections of kubectl exec and port-forward, which the kubelet passes on. Each has a token in its path.
func (r *Runtime) startStreams() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	config := streaming.DefaultConfig
	config.Addr = listener.Addr().String()
	if r.streams, err = streaming.NewServer(config, (*streams)(r)); err != nil {
		return err
	}
	go serveHTTP(listener, r.streams)
	return nil
}

// Exec returns the address of a stream for a command.
func (r *Runtime) Exec(_ context.Context, request *api.ExecRequest) (*api.ExecResponse, error) {
	return r.streams.GetExec(request)
}

// Attach is not supported.
func (r *Runtime) Attach(context.Context, *api.AttachRequest) (*api.AttachResponse, error) {
	return nil, errors.New("a process kubelet does not support attach: use kubectl logs -f or kubectl exec")
}

// PortForward returns the address of a stream to a port of a pod.
func (r *Runtime) PortForward(_ context.Context, request *api.PortForwardRequest) (*api.PortForwardResponse, error) {
	return r.streams.GetPortForward(request)
}

// The server of the streams.
type streams Runtime

// Exec runs a command in a container. It has no terminal.
func (s *streams) Exec(ctx context.Context, id string, words []string, in io.Reader, out, failures io.WriteCloser, tty bool, _ <-chan remotecommand.TerminalSize) error {
	found, err := (*Runtime)(s).find(id)
	if err != nil {
		return err
	}
	command, err := found.enter(words)
	if err != nil {
		return err
	}
	command.WaitDelay = afterOutput
	command.Stdout, command.Stderr = out, failures
	if tty {
		command.Stderr = out
	}
	if in != nil {
		given, err := command.StdinPipe()
		if err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(given, in)
			_ = given.Close()
		}()
	}
	if err := start(s.launches, command); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) })
	defer stop()
	err = command.Wait()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return utilexec.CodeExitError{Err: err, Code: exitCode(failed.Sys().(syscall.WaitStatus))}
	}
	return err
}

// Attach is not supported.
func (s *streams) Attach(context.Context, string, io.Reader, io.WriteCloser, io.WriteCloser, bool, <-chan remotecommand.TerminalSize) error {
	return errors.ErrUnsupported
}

// PortForward connects a stream with a port of a pod: on its address, else on the loopback, which all pods share with the machine.
func (s *streams) PortForward(_ context.Context, id string, port int32, stream io.ReadWriteCloser) error {
	s.lock.Lock()
	found, isThere := s.sandboxes[id]
	s.lock.Unlock()
	if !isThere {
		return notFound("pod sandbox", id)
	}
	address := found.address
	if address == "" {
		address = "127.0.0.1"
	}
	target, err := net.DialTimeout("tcp", net.JoinHostPort(address, fmt.Sprint(port)), dialLimit)
	if err != nil {
		if target, err = net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", fmt.Sprint(port)), dialLimit); err != nil {
			return err
		}
	}
	defer target.Close()
	defer stream.Close()
	go func() {
		_, _ = io.Copy(target, stream)
		_ = target.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(stream, target)
	return err
}
