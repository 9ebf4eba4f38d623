package main

import "syscall"

// endsWithParent makes the kernel kill a child, even a stopped one, when this program ends.
func endsWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
