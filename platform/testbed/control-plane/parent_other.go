//go:build !linux

package main

import "syscall"

// endsWithParent shields the children from signals of a terminal. They outlive a killed parent.
func endsWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
