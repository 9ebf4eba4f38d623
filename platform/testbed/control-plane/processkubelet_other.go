//go:build !linux

package main

import "fmt"

func runProcessKubelet([]string) int {
	return failed(fmt.Errorf("process-kubelet needs Linux: it runs containers in namespaces"), 2)
}
