package main

import "syscall"

// endsWithParent has the kernel end a child, also a stopped one, when this program is gone.
func endsWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
