//go:build linux

package processes

import (
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const dialLimit = 5 * time.Second

// A forwarded port of a Service.
type forwarder struct {
	listener net.Listener
	targets  atomic.Pointer[func() []string]
}

// newForwarder returns nil if the address is in use.
func newForwarder(address string, targets func() []string) *forwarder {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil
	}
	made := &forwarder{listener: listener}
	made.redirect(targets)
	go made.serve()
	return made
}

func (f *forwarder) redirect(targets func() []string) { f.targets.Store(&targets) }

func (f *forwarder) close() { _ = f.listener.Close() }

func (f *forwarder) serve() {
	for {
		client, err := f.listener.Accept()
		if err != nil {
			return
		}
		go f.forward(client.(*net.TCPConn))
	}
}

// forward connects to a target at random, and to another one if it does not accept. Without a target the client's connection is reset.
func (f *forwarder) forward(client *net.TCPConn) {
	defer client.Close()
	targets := (*f.targets.Load())()
	rand.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	for _, each := range targets {
		target, err := net.DialTimeout("tcp", each, dialLimit)
		if err == nil {
			join(client, target.(*net.TCPConn))
			return
		}
	}
	_ = client.SetLinger(0)
}

func join(client, target *net.TCPConn) {
	defer target.Close()
	var both sync.WaitGroup
	both.Go(func() { copyStream(target, client) })
	both.Go(func() { copyStream(client, target) })
	both.Wait()
}

// copyStream copies a stream and its end. If the receiver is gone, it closes both connections.
func copyStream(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		_ = from.Close()
	}
	_ = to.CloseWrite()
}

func serveHTTP(listener net.Listener, handler http.Handler) {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: dialLimit}
	_ = server.Serve(listener) // ends with the program
}
