package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"claimstream.dev/testbed/control-plane/processes"
)

const processKubeletUsage = `usage: control-plane process-kubelet --name NAME --image REF=COMMAND [FLAG...]

Runs the kubelet of a node whose pods are processes of this machine, until standard input closes (unless that is /dev/null) or SIGTERM comes; then its processes
end. It is the kubelet of this release of Kubernetes with another container runtime. Start the control plane with "up --processes", and one process kubelet for
each node. It prints a line of JSON when the node is registered, and one for each field of a pod or Service that it ignores.

A container runs COMMAND (or its own command) and its arguments in mount, process and host name namespaces of its own. Its files are those of the machine below a
layer of its own, and its volumes.

`

// The flags.
type processFlags struct {
	node   processes.Node
	images words
	labels string
	isOurs bool // the folder is deleted with the node
	config string
	pods   *processes.Runtime
}

// The values of a repeatable flag.
type words []string

func (w *words) String() string { return strings.Join(*w, " ") }

func (w *words) Set(value string) error {
	*w = append(*w, value)
	return nil
}

func runProcessKubelet(arguments []string) int {
	wanted, err := readProcessFlags(arguments)
	if err != nil {
		return parseStatus(err)
	}
	ctx, stop := untilTold()
	defer stop()
	if err := processes.Check(); err != nil {
		return failed(err, 2)
	}
	defer wanted.close()
	if err := wanted.start(ctx); err != nil {
		return failed(err, 1)
	}
	<-ctx.Done()
	return 0
}

func readProcessFlags(arguments []string) (*processFlags, error) {
	var wanted processFlags
	flags, config := subcommand("process-kubelet", processKubeletUsage)
	flags.StringVar(&wanted.node.Name, "name", "", "name of the node")
	flags.Var(&wanted.images, "image", "`REF=COMMAND`: entry point of an image, with or without its tag, or of every other one (*); COMMAND may be empty; repeatable")
	flags.StringVar(&wanted.node.Folder, "dir", "", "`FOLDER` for volumes and logs, kept; without it a temporary one that is deleted at the end")
	flags.StringVar(&wanted.labels, "labels", "", "labels of the node, `KEY=VALUE,...`")
	flags.IntVar(&wanted.node.Pods, "pods", 110, "pods that the node may have")
	flags.DurationVar(&wanted.node.Lease, "lease", 5*time.Second, "between two renewals of the node's Lease")
	flags.DurationVar(&wanted.node.BackOff, "back-off", 5*time.Minute, "longest wait before a container restarts; kubelets double it from 10s")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	wanted.config = *config
	if wanted.node.Name == "" || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "control-plane: process-kubelet needs --name NAME and no other words: see control-plane process-kubelet -h")
		return nil, flag.ErrHelp
	}
	return &wanted, nil
}

func (f *processFlags) start(ctx context.Context) error {
	labels, err := newShape("", f.labels, nil)
	if err != nil {
		return err
	}
	f.node.Labels = labels.labels
	f.node.Annotations = map[string]string{silent: "true"} // simulated kubelets ignore the node and its pods
	if err := f.openFolder(); err != nil {
		return err
	}
	images, err := processes.NewImages(f.images, f.node.Folder)
	if err != nil {
		return err
	}
	config, client, err := connectKubelet(f.config)
	if err != nil {
		return err
	}
	if f.node.Port, err = processes.FreePort(); err != nil {
		return err
	}
	if f.node.Certificate, err = ownCertificate(); err != nil {
		return err
	}
	f.node.Authority = config.CAData
	return f.run(ctx, config.Host, client, images)
}

// run starts the components of the node in the order of their dependencies.
func (f *processFlags) run(ctx context.Context, server string, client kubernetes.Interface, images *processes.Images) error {
	address, err := url.Parse(server)
	if err != nil {
		return err
	}
	notices := processes.NewNotices(func(object, field, why string) {
		answer(map[string]any{"ignored": field, "object": object, "why": why})
	})
	services, err := processes.NewServices(ctx, client, address.Host, notices)
	if err != nil {
		return err
	}
	if err := processes.StartVolumes(ctx, client, filepath.Join(f.node.Folder, "claims")); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(address.Host)
	if err != nil {
		return err
	}
	f.pods, err = processes.NewRuntime(filepath.Join(f.node.Folder, "runtime"), processes.Server{Host: host, Port: port}, images, services.Names, notices)
	if err != nil {
		return err
	}
	if err := f.node.Run(ctx, client, f.pods, images); err != nil {
		return err
	}
	answer(map[string]any{"node": f.node.Name, "folder": f.node.Folder, "logs": filepath.Join(f.node.Folder, "logs"), "pid": os.Getpid(),
		"mounts": "private mount namespace for each container"})
	return nil
}

// openFolder creates the folder, which also contains the kubelet's log.
func (f *processFlags) openFolder() error {
	var err error
	if f.node.Folder == "" {
		if f.node.Folder, err = os.MkdirTemp("", "process-kubelet-"); err != nil {
			return err
		}
		f.isOurs = true
	} else if f.node.Folder, err = filepath.Abs(f.node.Folder); err != nil {
		return err
	}
	if err := os.MkdirAll(f.node.Folder, 0o755); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(f.node.Folder, "kubelet.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	logging := flag.NewFlagSet("log", flag.ContinueOnError)
	klog.InitFlags(logging)
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL", "one_output": "true", "v": "2"} {
		if err := logging.Set(name, value); err != nil {
			return err
		}
	}
	klog.SetOutput(log)
	return nil
}

// close ends the processes.
func (f *processFlags) close() {
	if f.pods != nil {
		f.pods.Kill()
	}
	if f.isOurs {
		_ = os.RemoveAll(f.node.Folder)
	}
}

func connectKubelet(path string) (*rest.Config, kubernetes.Interface, error) {
	if path == "" {
		return nil, nil, fmt.Errorf("--kubeconfig is missing, and KUBECONFIG is not set: name the kubeconfig that control-plane up has printed")
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, nil, fmt.Errorf("--kubeconfig %s: %w", path, err)
	}
	config.QPS = -1
	config.UserAgent = "process-kubelet"
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.WarningHandler = rest.NoWarnings{}
	client, err := kubernetes.NewForConfig(config)
	return config, client, err
}

func ownCertificate() (tls.Certificate, error) {
	key, certificate, err := selfSigned()
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(certificate, key)
}
