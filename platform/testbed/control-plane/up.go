package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	release "k8s.io/component-base/version"
)

const upUsage = `usage: control-plane up [FLAG...]

Starts etcd, kube-apiserver, kube-controller-manager and kube-scheduler on free ports of 127.0.0.1, and prints one line of JSON once all are ready. Stops
them when standard input closes (unless it is /dev/null) or SIGTERM arrives; in the background of a terminal only at SIGTERM. Logs and kubeconfigs are in
the folder. With KUBEBUILDER_ASSETS set, etcd and kube-apiserver of that folder run, and only these two.

Standard input takes one command per line. Each response is one line of JSON:
  stop PART      freeze the part (SIGSTOP)
  cont PART      resume the part (SIGCONT)
  kill PART      kill the part (SIGKILL)
  start PART     start the part again, and wait until it is ready
  restart PART   kill and start
  backup FILE    save a snapshot of etcd
  restore FILE [bump]
                 stop all parts, replace the data of etcd by the snapshot, and start all parts; with bump as "etcdutl snapshot restore
                 --bump-revision 1000000000 --mark-compacted" does

`

// A control plane and its folder.
type plane struct {
	folder  string
	isOurs  bool // the folder is deleted at the end
	options options
	parts   []*part
	secret  credentials
	prober  prober
	ended   chan *part
}

// up runs a control plane. It locks its thread, because of startProcess.
func up(arguments []string) int {
	runtime.LockOSThread()
	folder, wanted, err := upFlags(arguments)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return failed(err, 2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, closed := context.WithCancel(ctx)
	commands := make(chan string)
	go listen(ctx, commands, closed)

	begin := time.Now()
	made, err := newPlane(folder, wanted)
	if err != nil {
		return failed(err, 1)
	}
	defer made.close()
	if err := made.startAll(ctx); err != nil {
		if ctx.Err() != nil {
			return 0
		}
		return failed(err, 1)
	}
	made.print(time.Since(begin))
	return made.live(ctx, commands)
}

func upFlags(arguments []string) (string, options, error) {
	var wanted options
	var noScheduler, noController bool
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), upUsage)
		flags.PrintDefaults()
	}
	folder := flags.String("dir", "", "`FOLDER` for data, logs and kubeconfigs, kept; default: a temporary folder, deleted at the end")
	flags.StringVar(&wanted.gates, "gates", "default", "feature gates: all of DRA, default, or off (AllBeta=false)")
	flags.StringVar(&wanted.qps, "qps", "default", "requests per second of scheduler and controllers: default, or raised to 5000")
	flags.BoolVar(&noScheduler, "no-scheduler", false, "do not start kube-scheduler")
	flags.BoolVar(&noController, "no-controllers", false, "do not start kube-controller-manager")
	flags.BoolVar(&wanted.hasWorkloads, "workloads", false, "run the controllers of Job, Deployment, ReplicaSet, StatefulSet and DaemonSet")
	flags.BoolVar(&wanted.hasProcesses, "processes", false, "for nodes with process-kubelet: --workloads, service accounts with tokens, Service addresses on the loopback, volumes")
	flags.DurationVar(&wanted.nodeGrace, "node-grace", 0, "run the controllers that evict the pods of a node after this time without a heartbeat; 0: do not run them")
	flags.BoolVar(&wanted.hasAudit, "audit", false, "write a line per change of an object to FOLDER/audit.log: who, what and when, without contents")
	flags.IntVar(&wanted.verbosity, "v", 2, "log verbosity of scheduler and controllers")
	if err := flags.Parse(arguments); err != nil {
		return "", wanted, err
	}
	if flags.NArg() > 0 {
		return "", wanted, fmt.Errorf("%q is no flag: see control-plane up -h", flags.Arg(0))
	}
	wanted.hasScheduler, wanted.hasController = !noScheduler, !noController
	wanted.hasWorkloads = wanted.hasWorkloads || wanted.hasProcesses
	return *folder, wanted, wanted.check()
}

// listen passes on the lines of standard input, and its end unless it is /dev/null. A background job may not read its terminal: SIGTTIN, which would stop the
// job, is ignored, so that reading fails and the job continues without commands.
func listen(ctx context.Context, commands chan<- string, closed context.CancelFunc) {
	if isNull(os.Stdin) {
		return
	}
	signal.Ignore(syscall.SIGTTIN)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		select {
		case commands <- lines.Text():
		case <-ctx.Done():
			return
		}
	}
	if !errors.Is(lines.Err(), syscall.EIO) {
		closed()
	}
}

func isNull(file *os.File) bool {
	given, err := file.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(given, null)
}

func newPlane(folder string, wanted options) (*plane, error) {
	made := &plane{folder: folder, options: wanted, ended: make(chan *part, 64)}
	var err error
	if folder == "" {
		made.isOurs = true
		made.folder, err = os.MkdirTemp("", "control-plane-")
	} else if err = os.MkdirAll(folder, 0o700); err == nil {
		made.folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return nil, fmt.Errorf("no folder for the control plane: %w", err)
	}
	made.parts, made.secret, err = makeParts(made.folder, wanted)
	if err != nil {
		made.close()
		return nil, err
	}
	made.prober = newProber(made.secret)
	return made, nil
}

// startAll starts the components in order. The last two are independent and start together.
func (p *plane) startAll(ctx context.Context) error {
	for _, each := range p.parts {
		if err := p.launch(each); err != nil {
			return err
		}
		if each.name == controllerSet {
			continue
		}
		if err := p.await(ctx, each); err != nil {
			return err
		}
	}
	return p.await(ctx, p.parts[len(p.parts)-1], p.parts[len(p.parts)-2])
}

func (p *plane) launch(each *part) error {
	started, err := startProcess(each, logOf(p.folder, each), p.ended)
	each.process = started
	return err
}

func (p *plane) await(ctx context.Context, parts ...*part) error {
	for _, each := range parts {
		if err := p.prober.await(ctx, each, logOf(p.folder, each)); err != nil {
			return err
		}
	}
	return nil
}

// The printed fields of a component.
type shownPart struct {
	Pid     int    `json:"pid"`
	Port    int    `json:"port"`
	Log     string `json:"log"`
	Metrics string `json:"metrics"`
}

func (p *plane) print(taken time.Duration) {
	parts := map[string]shownPart{}
	for _, each := range p.parts {
		metrics := strings.TrimSuffix(each.readiness, "/"+filepath.Base(each.readiness)) + "/metrics"
		parts[each.name] = shownPart{Pid: each.pid(), Port: each.port.number, Log: logOf(p.folder, each), Metrics: metrics}
	}
	answer(map[string]any{
		"folder": p.folder, "server": p.parts[1].port.url("https"), "gates": p.options.gates, "qps": p.options.qps,
		"version": release.Get().GitVersion, "readyMillis": taken.Milliseconds(), "kubeconfigs": p.secret.kubeconfigs, "parts": parts,
	})
}

func (each *part) pid() int {
	if each.process == nil {
		return 0
	}
	return each.process.command.Process.Pid
}

// live runs commands until the end, or until a component ends by itself.
func (p *plane) live(ctx context.Context, commands <-chan string) int {
	for {
		select {
		case <-ctx.Done():
			return 0
		case gone := <-p.ended:
			if gone.process != nil && gone.process.isDone() {
				return failed(fmt.Errorf("%s has ended (%v); its log ends with\n%s", gone.name, gone.process.err, tail(logOf(p.folder, gone))), 1)
			}
		case line := <-commands:
			if strings.TrimSpace(line) != "" {
				p.obey(ctx, strings.Fields(line))
			}
		}
	}
}

func (p *plane) obey(ctx context.Context, words []string) {
	if words[0] == "backup" || words[0] == "restore" {
		if err := p.save(ctx, words); err != nil {
			answer(map[string]any{"error": err.Error()})
			return
		}
		answer(map[string]any{"file": words[1]})
		return
	}
	each, err := p.command(ctx, words)
	if err != nil {
		answer(map[string]any{"error": err.Error()})
		return
	}
	answer(map[string]any{"part": each.name, "pid": each.pid()})
}

// save saves or restores the data of etcd.
func (p *plane) save(ctx context.Context, words []string) error {
	switch {
	case words[0] == "backup" && len(words) == 2:
		return p.backup(ctx, words[1])
	case words[0] == "restore" && len(words) == 2:
		return p.restore(ctx, words[1], false)
	case words[0] == "restore" && len(words) == 3 && words[2] == "bump":
		return p.restore(ctx, words[1], true)
	}
	return fmt.Errorf("%q: must be backup FILE or restore FILE [bump]", strings.Join(words, " "))
}

func (p *plane) command(ctx context.Context, words []string) (*part, error) {
	if len(words) != 2 {
		return nil, fmt.Errorf("%q: must be stop, cont, kill, start or restart and a part, or backup or restore and a file", strings.Join(words, " "))
	}
	each, err := named(p.parts, words[1])
	if err != nil {
		return nil, err
	}
	isRunning := each.process != nil
	if words[0] != "start" && !isRunning {
		return nil, fmt.Errorf("%s %s: it does not run", words[0], each.name)
	}
	switch words[0] {
	case "stop":
		return each, each.process.signal(syscall.SIGSTOP)
	case "cont":
		return each, each.process.signal(syscall.SIGCONT)
	case "kill":
		each.kill()
		return each, nil
	case "restart":
		each.kill()
		return each, p.start(ctx, each)
	case "start":
		if isRunning {
			return nil, fmt.Errorf("start %s: it runs", each.name)
		}
		return each, p.start(ctx, each)
	}
	return nil, fmt.Errorf("%q: must be stop, cont, kill, start or restart", words[0])
}

func (p *plane) start(ctx context.Context, each *part) error {
	if err := p.launch(each); err != nil {
		return err
	}
	err := p.await(ctx, each)
	if err != nil {
		each.kill()
	}
	return err
}

func (each *part) kill() {
	gone := each.process
	each.process = nil
	gone.end(syscall.SIGKILL)
}

// close stops the components, clients before servers, and removes a temporary folder. Only etcd has data to store.
func (p *plane) close() {
	for i := len(p.parts) - 1; i >= 0; i-- {
		each := p.parts[i]
		if each.process == nil {
			continue
		}
		if each.name == etcd && !p.isOurs {
			each.process.end(syscall.SIGTERM)
		} else {
			each.process.end(syscall.SIGKILL)
		}
	}
	if p.isOurs {
		_ = os.RemoveAll(p.folder)
	}
}

func answer(line map[string]any) {
	_ = json.NewEncoder(os.Stdout).Encode(line) // the reader may be gone
}

func failed(err error, status int) int {
	fmt.Fprintln(os.Stderr, "control-plane:", strings.TrimRight(err.Error(), "\n"))
	return status
}
