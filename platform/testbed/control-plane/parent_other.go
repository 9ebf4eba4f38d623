//go:build !linux

package main

import "syscall"

// endsWithParent keeps signals of a terminal from the children. Where this program is killed, they stay.
func endsWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
