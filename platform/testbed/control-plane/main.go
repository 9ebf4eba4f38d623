// Command control-plane is a Kubernetes control plane in one program, for tests: unchanged etcd, kube-apiserver, kube-controller-manager, kube-scheduler and
// kubectl, each in a process of its own. It also starts them and simulates nodes and kubelets.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

const usage = `usage: control-plane up [FLAG...]        run a control plane, and print its address
       control-plane nodes [FLAG...]     create simulated nodes
       control-plane kubelet [FLAG...]   simulate the kubelets of all nodes
       control-plane process-kubelet [FLAG...]  run a kubelet whose pods are processes of this machine
       control-plane load [FLAG...]      create nodes, devices and pods, and measure the time until the pods are bound
       control-plane next-free [FLAG...] allocate the next free device to each claim, to measure the cost of the writes
       control-plane check [FLAG...]     report devices with two holders, and claims that stay pending or allocated
       control-plane faults [FLAG...]    run a proxy before an API server, and inject faults into its requests
       control-plane PART [ARGUMENT...]  run etcd, kube-apiserver, kube-controller-manager, kube-scheduler or kubectl

"control-plane COMMAND -h" lists the flags of a command. A link with the name of a part runs that part.
`

func main() {
	name, arguments := called(os.Args)
	// Each component reads os.Args. Only the command that runs is created, because the creation has side effects.
	os.Args = append([]string{name}, arguments...)
	switch name {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(controllermanager.NewControllerManagerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	case "kubectl":
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			os.Exit(1)
		}
	case "up":
		os.Exit(up(arguments))
	case "nodes":
		os.Exit(nodes(arguments))
	case "load":
		os.Exit(runLoad(arguments))
	case "check":
		os.Exit(runCheck(arguments))
	case "faults":
		os.Exit(runFaults(arguments))
	case "next-free":
		os.Exit(runNextFree(arguments))
	case "kubelet":
		os.Exit(playKubelet(arguments))
	case "process-kubelet":
		os.Exit(runProcessKubelet(arguments))
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
}

// called returns the component to run: the name of the link, else the first argument.
func called(line []string) (string, []string) {
	switch name := filepath.Base(line[0]); name {
	case "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl":
		return name, line[1:]
	}
	if len(line) < 2 {
		return "", nil
	}
	return line[1], line[2:]
}
