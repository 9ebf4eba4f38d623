package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A loopback port that is reserved while this process runs: a bound socket that never listens, whose port a component shares. A restarted component
// finds its port free.
type port struct {
	socket int
	number int
}

func reservePort() (port, error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return port{}, fmt.Errorf("no socket: %w", err)
	}
	unix.CloseOnExec(socket)
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return port{}, fmt.Errorf("a port cannot be shared: %w", err)
	}
	if err := unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return port{}, fmt.Errorf("no free port on 127.0.0.1: %w", err)
	}
	address, err := unix.Getsockname(socket)
	if err != nil {
		return port{}, fmt.Errorf("a port without an address: %w", err)
	}
	return port{socket: socket, number: address.(*unix.SockaddrInet4).Port}, nil
}

func (p port) url(scheme string) string { return fmt.Sprintf("%s://127.0.0.1:%d", scheme, p.number) }

func (p port) text() string { return fmt.Sprint(p.number) }
