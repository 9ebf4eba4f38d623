//go:build linux

package processes

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/util/oom"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/configmap"
	"k8s.io/kubernetes/pkg/volume/downwardapi"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/projected"
	"k8s.io/kubernetes/pkg/volume/secret"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
	"k8s.io/kubernetes/pkg/volume/util/subpath"
	"k8s.io/mount-utils"
)

// Node describes the node of a process kubelet.
type Node struct {
	Name        string
	Labels      map[string]string
	Annotations map[string]string
	Taints      []core.Taint
	Pods        int    // maximum
	Folder      string // for volumes, logs and the kubelet's own files
	Port        int    // of the kubelet
	Certificate tls.Certificate
	Authority   []byte // certificate authority of clients, as PEM; that of the API server
	BackOff     time.Duration
	Lease       time.Duration // between two renewals
}

const (
	leaseRenewals = 4 // renewals per Lease duration, as a kubelet
	resync        = 2 * time.Second
)

// Run registers the node and starts its kubelet. A kubelet does not report a loopback address, so this function sets it, as a cloud
// provider does.
func (n Node) Run(ctx context.Context, client kubernetes.Interface, runtime *Runtime, images *Images) error {
	if err := n.register(ctx, client); err != nil {
		return err
	}
	flags, config, err := n.settings()
	if err != nil {
		return err
	}
	auth, reload, err := app.BuildAuth(types.NodeName(n.Name), client, *config)
	if err != nil {
		return err
	}
	reload(ctx.Done())
	return app.RunKubelet(ctx, &options.KubeletServer{KubeletFlags: *flags, KubeletConfiguration: *config}, &kubelet.Dependencies{
		Auth: auth, TLSConfig: &tls.Config{Certificates: []tls.Certificate{n.Certificate}, ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12},
		KubeClient: client, HeartbeatClient: client, EventClient: client.CoreV1(), RemoteRuntimeService: runtime, RemoteImageService: images,
		CAdvisorInterface: newMachine(n.Name), ContainerManager: containerManager{cm.NewStubContainerManager()}, VolumePlugins: volumePlugins(),
		OOMAdjuster: oom.NewFakeOOMAdjuster(), HostUtil: machineFiles{hostutil.NewHostUtil()}, Subpather: &subpath.FakeSubpath{},
		Mounter:                   mount.NewFakeMounter(nil), // no volume is mounted on the machine: memory-backed ones are folders
		PodStartupLatencyTracker:  kubeletutil.NewPodStartupLatencyTracker(),
		NodeStartupLatencyTracker: newStartupTracker(), TracerProvider: noop.NewTracerProvider(),
	})
}

func volumePlugins() []volume.VolumePlugin {
	made := emptydir.ProbeVolumePlugins()
	made = append(made, hostpath.ProbeVolumePlugins(volume.VolumeConfig{})...)
	made = append(made, secret.ProbeVolumePlugins()...)
	made = append(made, configmap.ProbeVolumePlugins()...)
	made = append(made, downwardapi.ProbeVolumePlugins()...)
	return append(made, projected.ProbeVolumePlugins()...)
}

// The files of the machine, without mounts.
type machineFiles struct{ *hostutil.HostUtil }

// MakeRShared does not mount the kubelet's folder: no volume is mounted below it.
func (machineFiles) MakeRShared(string) error { return nil }

// A container manager without cgroups and devices.
type containerManager struct{ cm.ContainerManager }

// PrepareDynamicResources rejects pods with claims: no DRA driver runs on the node.
func (containerManager) PrepareDynamicResources(_ context.Context, pod *core.Pod) error {
	if len(pod.Spec.ResourceClaims) > 0 {
		return fmt.Errorf("spec.resourceClaims: a process kubelet has no DRA driver; run this pod on a simulated node (control-plane kubelet)")
	}
	return nil
}

func (n Node) register(ctx context.Context, client kubernetes.Interface) error {
	labels := map[string]string{core.LabelHostname: n.Name, core.LabelOSStable: "linux", core.LabelArchStable: architecture}
	for key, value := range n.Labels {
		labels[key] = value
	}
	status := core.NodeStatus{Addresses: []core.NodeAddress{{Type: core.NodeInternalIP, Address: "127.0.0.1"}, {Type: core.NodeHostName, Address: n.Name}}}
	node := &core.Node{ObjectMeta: meta.ObjectMeta{Name: n.Name, Labels: labels, Annotations: n.Annotations}, Spec: core.NodeSpec{Taints: n.Taints}, Status: status}
	_, err := client.CoreV1().Nodes().Create(ctx, node, meta.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	// A node of another kubelet may lack them. Its taints stay, because controllers set them, too.
	if err := n.patch(ctx, client, map[string]any{"metadata": map[string]any{"labels": labels, "annotations": n.Annotations}}); err != nil {
		return err
	}
	return n.patch(ctx, client, map[string]any{"status": map[string]any{"addresses": status.Addresses}}, "status")
}

func (n Node) patch(ctx context.Context, client kubernetes.Interface, fields map[string]any, subresources ...string) error {
	patch, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, n.Name, types.StrategicMergePatchType, patch, meta.PatchOptions{}, subresources...)
	return err
}

func (n Node) settings() (*options.KubeletFlags, *kubeletconfig.KubeletConfiguration, error) {
	flags := options.NewKubeletFlags()
	flags.RootDirectory, flags.CertDirectory = filepath.Join(n.Folder, "kubelet"), filepath.Join(n.Folder, "kubelet", "pki")
	flags.HostnameOverride, flags.NodeLabels, flags.CloudProvider = n.Name, n.Labels, "external"
	config, err := options.NewKubeletConfiguration()
	if err != nil {
		return nil, nil, err
	}
	authority := filepath.Join(n.Folder, "client-ca.pem")
	if err := os.WriteFile(authority, n.Authority, 0o600); err != nil {
		return nil, nil, err
	}
	config.Address, config.Port, config.EnableServer, config.RegisterNode = "127.0.0.1", int32(n.Port), true, true
	config.Authentication.X509.ClientCAFile, config.Authentication.Anonymous.Enabled, config.Authentication.Webhook.Enabled = authority, false, false
	config.Authorization.Mode = kubeletconfig.KubeletAuthorizationModeAlwaysAllow // for clients with the API server's certificate
	config.ReadOnlyPort = 0
	config.PodLogsDir, config.MaxPods = filepath.Join(n.Folder, "logs"), int32(n.Pods)
	config.ResolverConfig = "" // that of the machine
	config.CgroupsPerQOS, config.CgroupDriver, config.EnforceNodeAllocatable = false, "none", nil
	config.LocalStorageCapacityIsolation, config.EvictionHard, config.EvictionSoft = false, map[string]string{}, map[string]string{}
	config.ImageGCHighThresholdPercent = 100 // never
	config.EnableControllerAttachDetach = false
	config.SyncFrequency.Duration = resync
	config.NodeStatusUpdateFrequency.Duration, config.NodeLeaseDurationSeconds = n.Lease, int32((leaseRenewals * n.Lease).Seconds())
	config.CrashLoopBackOff.MaxContainerRestartPeriod = &meta.Duration{Duration: n.BackOff}
	return flags, config, nil
}

// FreePort returns a free loopback port.
func FreePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
