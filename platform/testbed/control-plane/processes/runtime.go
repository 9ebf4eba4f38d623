//go:build linux

// Package processes is a container runtime for a kubelet that runs containers as processes of this machine, without images.
//
// The kubelet is Kubernetes' own. It reads pods, mounts volumes, probes, restarts and reports; this package only runs the processes, and provides
// Service addresses and volumes of claims.
package processes

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	cri "k8s.io/cri-api/pkg/apis"
	api "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
)

// Runtime runs the containers of one node. It implements the container runtime interface, except calls that a kubelet with default settings never
// makes.
type Runtime struct {
	cri.RuntimeService
	folder    string
	server    Server
	images    *Images
	names     *Names
	notices   *Notices
	addresses *addresses
	launches  chan launch
	streams   streaming.Server

	lock       sync.Mutex
	sandboxes  map[string]*sandbox
	containers map[string]*container
}

// Server is the address of the API server, for the environment of containers.
type Server struct{ Host, Port string }

// A pod: its address, and the names that its containers resolve.
type sandbox struct {
	id      string
	config  *api.PodSandboxConfig
	created time.Time
	address string // empty for a pod in the network of the node
	isReady bool
	folder  string
}

// NewRuntime creates a runtime without containers in a folder of its own.
func NewRuntime(folder string, server Server, images *Images, names *Names, notices *Notices) (*Runtime, error) {
	// Files of an earlier runtime belong to ended processes.
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	made := &Runtime{
		folder: folder, server: server, images: images, names: names, notices: notices, addresses: newAddresses(), launches: make(chan launch),
		sandboxes: map[string]*sandbox{}, containers: map[string]*container{},
	}
	go serveLaunches(made.launches)
	return made, made.startStreams()
}

// Version names the runtime.
func (r *Runtime) Version(context.Context, string) (*api.VersionResponse, error) {
	return &api.VersionResponse{Version: "0.1.0", RuntimeName: "process", RuntimeVersion: "0.1.0", RuntimeApiVersion: "v1"}, nil
}

// Status reports runtime and network as ready.
func (r *Runtime) Status(context.Context, bool) (*api.StatusResponse, error) {
	return &api.StatusResponse{Status: &api.RuntimeStatus{Conditions: []*api.RuntimeCondition{
		{Type: api.RuntimeReady, Status: true}, {Type: api.NetworkReady, Status: true}}}}, nil
}

// RuntimeConfig is empty, because there are no cgroups.
func (r *Runtime) RuntimeConfig(context.Context) (*api.RuntimeConfigResponse, error) {
	return &api.RuntimeConfigResponse{}, nil
}

// UpdateRuntimeConfig ignores the addresses of pods: they are on the loopback.
func (r *Runtime) UpdateRuntimeConfig(context.Context, *api.RuntimeConfig) error { return nil }

// Close has nothing to close.
func (r *Runtime) Close(context.Context) error { return nil }

// RunPodSandbox gives a pod an address and a hosts file.
func (r *Runtime) RunPodSandbox(_ context.Context, config *api.PodSandboxConfig, _ string) (string, error) {
	r.noticePod(config)
	made := &sandbox{id: newID(), config: config, created: time.Now(), isReady: true}
	made.folder = filepath.Join(r.folder, "pods", made.id)
	if config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() != api.NamespaceMode_NODE {
		made.address = r.addresses.take()
	}
	if err := os.MkdirAll(made.folder, 0o755); err != nil {
		return "", err
	}
	if err := os.MkdirAll(config.GetLogDirectory(), 0o755); err != nil {
		return "", err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.sandboxes[made.id] = made
	return made.id, nil
}

// StopPodSandbox ends the processes of a pod and frees its address.
func (r *Runtime) StopPodSandbox(ctx context.Context, id string) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	stopped, isThere := r.sandboxes[id]
	if !isThere {
		return nil
	}
	for _, each := range r.containers {
		if each.sandbox == stopped {
			each.kill()
		}
	}
	stopped.isReady = false
	r.names.drop(hostsFile(stopped))
	return nil
}

// RemovePodSandbox removes a pod.
func (r *Runtime) RemovePodSandbox(ctx context.Context, id string) error {
	if err := r.StopPodSandbox(ctx, id); err != nil {
		return err
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	gone, isThere := r.sandboxes[id]
	if !isThere {
		return nil
	}
	r.addresses.free(gone.address)
	delete(r.sandboxes, id)
	return os.RemoveAll(gone.folder)
}

func (s *sandbox) state() api.PodSandboxState {
	if s.isReady {
		return api.PodSandboxState_SANDBOX_READY
	}
	return api.PodSandboxState_SANDBOX_NOTREADY
}

// PodSandboxStatus describes a pod.
func (r *Runtime) PodSandboxStatus(_ context.Context, id string, _ bool) (*api.PodSandboxStatusResponse, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	found, isThere := r.sandboxes[id]
	if !isThere {
		return nil, notFound("pod sandbox", id)
	}
	return &api.PodSandboxStatusResponse{Status: &api.PodSandboxStatus{
		Id: id, Metadata: found.config.GetMetadata(), State: found.state(), CreatedAt: found.created.UnixNano(),
		Network: &api.PodSandboxNetworkStatus{Ip: found.address}, Labels: found.config.GetLabels(), Annotations: found.config.GetAnnotations(),
		Linux: &api.LinuxPodSandboxStatus{Namespaces: &api.Namespace{Options: found.config.GetLinux().GetSecurityContext().GetNamespaceOptions()}},
	}}, nil
}

// ListPodSandbox lists the pods that a filter selects.
func (r *Runtime) ListPodSandbox(_ context.Context, filter *api.PodSandboxFilter) ([]*api.PodSandbox, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	found := []*api.PodSandbox{}
	for _, each := range r.sandboxes {
		if filter.GetId() != "" && filter.GetId() != each.id || filter.GetState() != nil && filter.GetState().GetState() != each.state() ||
			!selects(filter.GetLabelSelector(), each.config.GetLabels()) {
			continue
		}
		found = append(found, &api.PodSandbox{Id: each.id, Metadata: each.config.GetMetadata(), State: each.state(), CreatedAt: each.created.UnixNano(),
			Labels: each.config.GetLabels(), Annotations: each.config.GetAnnotations()})
	}
	slices.SortFunc(found, func(a, b *api.PodSandbox) int { return int(b.CreatedAt - a.CreatedAt) })
	return found, nil
}

// UpdatePodSandboxResources does nothing: resources are not limited.
func (r *Runtime) UpdatePodSandboxResources(context.Context, *api.UpdatePodSandboxResourcesRequest) (*api.UpdatePodSandboxResourcesResponse, error) {
	return &api.UpdatePodSandboxResourcesResponse{}, nil
}

// PodSandboxStats has no statistics.
func (r *Runtime) PodSandboxStats(_ context.Context, id string) (*api.PodSandboxStats, error) {
	return nil, fmt.Errorf("pod sandbox %s: a process kubelet keeps no statistics", id)
}

// ListPodSandboxStats has no statistics.
func (r *Runtime) ListPodSandboxStats(context.Context, *api.PodSandboxStatsFilter) ([]*api.PodSandboxStats, error) {
	return nil, nil
}

// ContainerStats has no statistics.
func (r *Runtime) ContainerStats(_ context.Context, id string) (*api.ContainerStats, error) {
	return nil, fmt.Errorf("container %s: a process kubelet keeps no statistics", id)
}

// ListContainerStats has no statistics.
func (r *Runtime) ListContainerStats(context.Context, *api.ContainerStatsFilter) ([]*api.ContainerStats, error) {
	return nil, nil
}

// ListMetricDescriptors has no metrics.
func (r *Runtime) ListMetricDescriptors(context.Context) ([]*api.MetricDescriptor, error) {
	return nil, nil
}

// ListPodSandboxMetrics has no metrics.
func (r *Runtime) ListPodSandboxMetrics(context.Context) ([]*api.PodSandboxMetrics, error) {
	return nil, nil
}

func selects(wanted, labels map[string]string) bool {
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// find returns a container.
func (r *Runtime) find(id string) (*container, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if found, isThere := r.containers[id]; isThere {
		return found, nil
	}
	return nil, notFound("container", id)
}

// Kill kills all processes and waits for their end.
func (r *Runtime) Kill() {
	var all sync.WaitGroup
	for _, each := range r.all() {
		all.Go(func() { each.stop(0) })
	}
	all.Wait()
}

func (r *Runtime) all() []*container {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.SortedFunc(maps.Values(r.containers), func(a, b *container) int { return b.created.Compare(a.created) })
}
