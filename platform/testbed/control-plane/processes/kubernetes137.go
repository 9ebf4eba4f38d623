//go:build linux && !kubernetes136

package processes

import (
	cadvisor "github.com/google/cadvisor/lib/model"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
)

// MachineInfo describes the machine.
func (m *machine) MachineInfo(klog.Logger) (*cadvisor.MachineInfo, error) {
	return &cadvisor.MachineInfo{NumCores: m.cores, MemoryCapacity: m.memory, MachineID: m.name, SystemUUID: m.name}, nil
}

// Machine facts for the kubelet, without statistics.
type machine struct {
	testing.Fake
	name   string
	cores  int
	memory uint64
}

func newStartupTracker() kubeletutil.NodeStartupLatencyTracker {
	return kubeletutil.NewNodeStartupLatencyTracker(klog.Background())
}
