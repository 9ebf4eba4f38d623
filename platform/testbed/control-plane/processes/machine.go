//go:build linux

package processes

import (
	"runtime"

	"golang.org/x/sys/unix"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
)

const architecture = runtime.GOARCH

func newMachine(name string) *machine {
	made := &machine{Fake: testing.Fake{NodeName: name}, name: name, cores: runtime.NumCPU(), memory: 1 << 30}
	var about unix.Sysinfo_t
	if unix.Sysinfo(&about) == nil {
		made.memory = about.Totalram * uint64(about.Unit)
	}
	return made
}
