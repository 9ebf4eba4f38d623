package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The components by name, in the order of their start.
const (
	etcd          = "etcd"
	apiServer     = "kube-apiserver"
	controllerSet = "kube-controller-manager"
	schedulerPart = "kube-scheduler"
)

const raisedQPS = 5000

// Controllers for pods and claims, controllers that create pods, and controllers that only real pods need.
const (
	controllers         = "resourceclaim-controller,garbage-collector-controller,namespace-controller,device-taint-eviction-controller,pod-garbage-collector-controller"
	workloadControllers = "job-controller,deployment-controller,replicaset-controller,statefulset-controller,daemonset-controller,disruption-controller"
	processControllers  = "serviceaccount-controller,root-ca-certificate-publisher-controller,persistentvolume-binder-controller," +
		"persistentvolumeclaim-protection-controller,persistentvolume-protection-controller,ephemeral-volume-controller,cronjob-controller,ttl-after-finished-controller"
)

// The options of a control plane.
type options struct {
	gates         string
	qps           string
	hasScheduler  bool
	hasController bool
	hasWorkloads  bool
	hasProcesses  bool // pods run as processes
	hasAudit      bool // the API server writes an audit log
	nodeGrace     time.Duration
	verbosity     int
}

func (o options) check() error {
	if o.gates != "all" && o.gates != "default" && o.gates != "off" {
		return fmt.Errorf("--gates %s: must be all, default or off", o.gates)
	}
	if o.qps != "default" && o.qps != "raised" {
		return fmt.Errorf("--qps %s: must be default or raised", o.qps)
	}
	if o.nodeGrace < 0 {
		return fmt.Errorf("--node-grace %s: must not be negative", o.nodeGrace)
	}
	return nil
}

// The arguments for feature gates. An empty list is not accepted.
func (o options) gateArguments() []string {
	switch o.gates {
	case "all":
		return []string{"--feature-gates", allGates}
	case "off":
		return []string{"--feature-gates", "AllBeta=false"}
	}
	return nil
}

// A component of the control plane.
type part struct {
	name      string
	program   string
	arguments []string
	port      port
	peer      port // of etcd only
	readiness string
	process   *process // nil if it does not run
}

// makeParts returns the components that the options select, and writes their configuration files.
func makeParts(folder string, wanted options) ([]*part, credentials, error) {
	ports := make([]port, 5)
	for i := range ports {
		reserved, err := reservePort()
		if err != nil {
			return nil, credentials{}, err
		}
		ports[i] = reserved
	}
	server := ports[1].url("https")
	secret, err := newCredentials(folder, server)
	if err != nil {
		return nil, secret, err
	}
	store := ports[0].url("http")
	serverArguments := apiServerArguments(wanted, secret, store, ports[1])
	if wanted.hasAudit {
		audit, err := auditArguments(folder)
		if err != nil {
			return nil, secret, err
		}
		serverArguments = append(serverArguments, audit...)
	}
	parts := []*part{
		{name: etcd, port: ports[0], peer: ports[4], readiness: store + "/health", arguments: etcdArguments(folder, store, ports[4].url("http"))},
		{name: apiServer, port: ports[1], readiness: server + "/readyz", arguments: serverArguments},
	}
	if wanted.hasController {
		parts = append(parts, &part{name: controllerSet, port: ports[2], readiness: ports[2].url("https") + "/healthz",
			arguments: controllerArguments(wanted, secret, ports[2])})
	}
	if wanted.hasScheduler {
		configuration, err := schedulerConfiguration(folder, wanted, secret)
		if err != nil {
			return nil, secret, err
		}
		parts = append(parts, &part{name: schedulerPart, port: ports[3], readiness: ports[3].url("https") + "/readyz",
			arguments: schedulerArguments(wanted, secret, configuration, ports[3])})
	}
	return parts, secret, choosePrograms(parts)
}

func etcdArguments(folder, client, peer string) []string {
	return []string{"--name", etcdName, "--data-dir", filepath.Join(folder, "etcd"),
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", etcdName + "=" + peer,
		"--socket-reuse-port", "--unsafe-no-fsync", "--quota-backend-bytes", "8589934592",
		"--watch-progress-notify-interval", "5s", "--log-level", "warn"}
}

// Admission by service accounts is off, so that pods need no token, unless they run as processes. Nodes are not tainted until a kubelet reports. The addresses of
// Services are random loopback addresses if processes use them, so that control planes can run side by side.
func apiServerArguments(wanted options, secret credentials, store string, own port) []string {
	withoutAdmission, services := "ServiceAccount,TaintNodesByCondition", "10.0.0.0/24"
	if wanted.hasProcesses {
		withoutAdmission, services = "TaintNodesByCondition", fmt.Sprintf("127.%d.%d.0/20", 128+rand.N(127), 16*rand.N(16))
	}
	arguments := append(serving(secret, own),
		"--etcd-servers", store, "--service-cluster-ip-range", services, "--authorization-mode", "RBAC",
		"--token-auth-file", secret.tokens, "--service-account-issuer", "https://control-plane.test",
		"--service-account-key-file", secret.key, "--service-account-signing-key-file", secret.key,
		"--disable-admission-plugins", withoutAdmission, "--endpoint-reconciler-type", "none", "--allow-privileged=true")
	if wanted.hasProcesses {
		arguments = append(arguments, "--kubelet-client-certificate", secret.certificate, "--kubelet-client-key", secret.key,
			"--kubelet-preferred-address-types", "InternalIP")
	}
	if wanted.gates == "all" {
		arguments = append(arguments, "--runtime-config", allGroups)
	}
	return append(arguments, wanted.gateArguments()...)
}

// auditArguments writes the policy of an audit log of changes, without the contents of objects.
func auditArguments(folder string) ([]string, error) {
	policy := filepath.Join(folder, "audit-policy.yaml")
	text := `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  verbs: [create, update, patch, delete]
- level: None
`
	arguments := []string{"--audit-policy-file", policy, "--audit-log-path", filepath.Join(folder, "audit.log"), "--audit-log-mode", "blocking"}
	return arguments, os.WriteFile(policy, []byte(text), 0o600)
}

func controllerArguments(wanted options, secret credentials, own port) []string {
	names := controllers
	if wanted.hasWorkloads {
		names += "," + workloadControllers
	}
	if wanted.gates == "all" {
		names += ",podgroup-protection-controller" // without it, deleted groups remain
	}
	arguments := append(client(secret, own, "controllers", wanted), "--kubeconfig", secret.kubeconfigs["controllers"], "--leader-elect=false",
		"--use-service-account-credentials=false", "--concurrent-resourceclaim-syncs", "50")
	if wanted.hasProcesses {
		names += "," + processControllers
		arguments = append(arguments, "--root-ca-file", secret.certificate)
	}
	if wanted.nodeGrace > 0 {
		names += ",node-lifecycle-controller"
		arguments = append(arguments, "--node-monitor-grace-period", wanted.nodeGrace.String(), "--node-monitor-period", "1s")
	}
	if wanted.qps == "raised" {
		arguments = append(arguments, "--kube-api-qps", fmt.Sprint(raisedQPS), "--kube-api-burst", fmt.Sprint(raisedQPS))
	}
	return append(arguments, "--controllers", names)
}

func schedulerArguments(wanted options, secret credentials, configuration string, own port) []string {
	return append(client(secret, own, "scheduler", wanted), "--config", configuration)
}

func schedulerConfiguration(folder string, wanted options, secret credentials) (string, error) {
	text := fmt.Sprintf(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection:
  kubeconfig: %q
`, secret.kubeconfigs["scheduler"])
	if wanted.qps == "raised" {
		text += fmt.Sprintf("  qps: %d\n  burst: %d\n", raisedQPS, raisedQPS)
	}
	path := filepath.Join(folder, "scheduler.yaml")
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// Arguments of a component that authenticates its callers with the API server.
func client(secret credentials, own port, who string, wanted options) []string {
	config := secret.kubeconfigs[who]
	arguments := append(serving(secret, own), "--authentication-kubeconfig", config, "--authorization-kubeconfig", config,
		"--authentication-skip-lookup=true", "--v", fmt.Sprint(wanted.verbosity))
	return append(arguments, wanted.gateArguments()...)
}

func serving(secret credentials, own port) []string {
	return []string{"--bind-address", "127.0.0.1", "--secure-port", own.text(), "--permit-port-sharing",
		"--tls-cert-file", secret.certificate, "--tls-private-key-file", secret.key}
}

// choosePrograms takes etcd and kube-apiserver from the folder in KUBEBUILDER_ASSETS, and all other components from this program.
func choosePrograms(parts []*part) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program does not find itself: %w", err)
	}
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	for _, each := range parts {
		if assets != "" && (each.name == etcd || each.name == apiServer) {
			each.program = filepath.Join(assets, each.name)
			if _, err := os.Stat(each.program); errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("KUBEBUILDER_ASSETS=%s has no %s: unset it, or put etcd and kube-apiserver there", assets, each.name)
			}
			continue
		}
		each.program = self
		each.arguments = append([]string{each.name}, each.arguments...)
	}
	return nil
}

// named returns the component of a name.
func named(parts []*part, name string) (*part, error) {
	known := make([]string, 0, len(parts))
	for _, each := range parts {
		if each.name == name {
			return each, nil
		}
		known = append(known, each.name)
	}
	return nil, fmt.Errorf("no part is called %q: there are %s", name, strings.Join(known, ", "))
}
