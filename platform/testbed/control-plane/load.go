package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

const loadUsage = `usage: control-plane load [FLAG...]

Creates nodes with devices, and pods with claims from templates. Measures with a watch of its own the time from the first event of each pod until the pod
is bound. Prints one line of JSON. Then it deletes the pods and waits until their claims are deleted. Exit code 3: a pod was not bound, a claim was not
deleted, or an unsatisfiable pod was bound.

`

// The options of a measurement.
type load struct {
	api       kubernetes.Interface
	fleet     fleet
	namespace string
	pods      int
	unfit     int // additional pods that fit nowhere
	rate      float64
	limit     time.Duration
	watch     *bindings
}

func runLoad(arguments []string) int {
	flags, config := subcommand("load", loadUsage)
	kind := flags.String("kind", "plain", "requests: plain devices, pairs of one NUMA node, or partitions as in MIG")
	driver := flags.String("driver", "gpu.example.com", "name of the driver and of the device class")
	count := flags.Int("nodes", 100, "nodes")
	devices := flags.Int("devices", 10, "devices of each node; with partitions, whole devices")
	pods := flags.Int("pods", 500, "pods; 0: create nodes and devices only")
	unfit := flags.Int("unfit", 0, "additional unsatisfiable pods, evenly among the others; load does not wait for them")
	rate := flags.Float64("rate", 0, "pods per second; 0: all at once")
	limit := flags.Duration("limit", 150*time.Second, "maximum wait for the last pod")
	namespace := flags.String("namespace", "load", "namespace of the pods")
	labels := flags.String("labels", "", "labels of a created namespace, `KEY=VALUE,...`")
	keep := flags.Bool("keep", false, "do not delete the pods")
	plane := flags.String("plane", "", "`FILE` with the output of control-plane up, for the processor time of its parts")
	processes := flags.String("processes", "", "additional processes whose processor time is measured, `NAME=PID,...`")
	if err := flags.Parse(arguments); err != nil {
		return parseStatus(err)
	}
	if *pods < 0 || *unfit < 0 {
		return failed(fmt.Errorf("--pods %d --unfit %d: must not be negative", *pods, *unfit), 2)
	}
	asked, err := newFleet(*kind, *driver, *devices)
	if err != nil {
		return failed(err, 2)
	}
	measured, err := newMeter(*plane, *processes)
	if err != nil {
		return failed(err, 2)
	}
	given, err := newShape("node-", *labels, map[core.ResourceName]string{core.ResourceCPU: "64", core.ResourceMemory: "256Gi", core.ResourcePods: "250"})
	if err != nil {
		return failed(err, 2)
	}
	ofNamespace := given.labels
	given.labels = nil
	api, err := connect(*config)
	if err != nil {
		return failed(err, 2)
	}
	ctx, stop := untilTold()
	defer stop()
	if err := asked.install(ctx, api, *namespace, ofNamespace, given, *count); err != nil {
		return failed(err, 1)
	}
	run := &load{api: api, fleet: asked, namespace: *namespace, pods: *pods, unfit: *unfit, rate: *rate, limit: *limit, watch: newBindings()}
	line, err := run.measure(ctx, measured)
	if err != nil {
		return failed(err, 1)
	}
	if !*keep {
		if line["claimsLeft"], err = run.clean(ctx); err != nil {
			return failed(err, 1)
		}
	}
	answer(line)
	if line["bound"] != run.pods || line["unfitBound"] != 0 || (!*keep && line["claimsLeft"] != 0) {
		return 3
	}
	return 0
}

// measure watches from the time before the first pod is created until the last one is bound.
func (l *load) measure(ctx context.Context, measured *meter) (map[string]any, error) {
	watching, done := context.WithCancel(ctx)
	defer done()
	factory := informers.NewSharedInformerFactoryWithOptions(l.api, 0, informers.WithNamespace(l.namespace))
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(l.watch.events()); err != nil {
		return nil, err
	}
	factory.StartWithContext(watching)
	factory.WaitForCacheSyncWithContext(watching)

	before, err := measured.read(ctx, l.api)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := l.create(ctx); err != nil {
		return nil, err
	}
	l.watch.await(ctx, l.pods, l.limit)
	taken := l.watch.last().Sub(begin)
	after, err := measured.read(ctx, l.api)
	if err != nil {
		return nil, err
	}
	line := l.watch.line(taken)
	writes, sum := after.writesSince(before)
	line["pods"], line["unfit"], line["writes"], line["writesPerPod"] = l.pods, l.unfit, writes, perPod(float64(sum), l.pods)
	after.tellCPU(line, before, l.pods)
	return line, nil
}

func (l *load) create(ctx context.Context) error {
	begin := time.Now()
	return inParallel(l.pods+l.unfit, func(i int) error {
		pod, fitting := l.pod(i)
		if l.rate > 0 {
			time.Sleep(time.Until(begin.Add(time.Duration(float64(fitting) / l.rate * float64(time.Second)))))
		}
		_, err := l.api.CoreV1().Pods(l.namespace).Create(ctx, pod, meta.CreateOptions{})
		return err
	})
}

// pod returns the pod with this number, and the number of pods before it that fit.
func (l *load) pod(number int) (*core.Pod, int) {
	all := l.pods + l.unfit
	before := number * l.unfit / all
	if (number+1)*l.unfit/all > before {
		return l.fleet.unfitPod(before), number - before
	}
	return l.fleet.pod(number - before), number - before
}

// clean deletes the pods and returns the number of remaining claims.
func (l *load) clean(ctx context.Context) (int, error) {
	now := int64(0)
	if err := l.api.CoreV1().Pods(l.namespace).DeleteCollection(ctx, meta.DeleteOptions{GracePeriodSeconds: &now}, meta.ListOptions{}); err != nil {
		return 0, err
	}
	limit := time.Now().Add(l.limit)
	for {
		left, err := l.api.ResourceV1().ResourceClaims(l.namespace).List(ctx, meta.ListOptions{})
		if err != nil {
			return 0, err
		}
		if len(left.Items) == 0 || time.Now().After(limit) || ctx.Err() != nil {
			return len(left.Items), nil
		}
		time.Sleep(time.Second)
	}
}

// The times of creation and binding of each pod.
type bindings struct {
	lock  sync.Mutex
	seen  map[string]time.Time
	waits []time.Duration
	wrong int // bound pods that should fit nowhere
	at    time.Time
	more  chan struct{}
}

func newBindings() *bindings {
	return &bindings{seen: map[string]time.Time{}, at: time.Now(), more: make(chan struct{}, 1)}
}

func (b *bindings) events() cache.ResourceEventHandlerFuncs {
	note := func(object any) {
		if pod, isPod := object.(*core.Pod); isPod {
			b.note(string(pod.UID), pod.Spec.NodeName != "", pod.Labels[unfit] == "")
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: note, UpdateFunc: func(_, object any) { note(object) }}
}

func (b *bindings) note(uid string, isBound, fits bool) {
	b.lock.Lock()
	defer b.lock.Unlock()
	now := time.Now()
	since, isKnown := b.seen[uid]
	if !isKnown {
		since = now
		b.seen[uid] = now
	}
	if !isBound || since.IsZero() {
		return
	}
	b.seen[uid] = time.Time{}
	if !fits {
		b.wrong++
		return
	}
	b.waits, b.at = append(b.waits, now.Sub(since)), now
	select {
	case b.more <- struct{}{}:
	default:
	}
}

func (b *bindings) await(ctx context.Context, count int, limit time.Duration) {
	over := time.After(limit)
	for b.count() < count {
		select {
		case <-b.more:
		case <-over:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (b *bindings) count() int {
	b.lock.Lock()
	defer b.lock.Unlock()
	return len(b.waits)
}

func (b *bindings) last() time.Time {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.at
}

func (b *bindings) line(taken time.Duration) map[string]any {
	b.lock.Lock()
	defer b.lock.Unlock()
	slices.Sort(b.waits)
	line := map[string]any{"bound": len(b.waits), "unfitBound": b.wrong, "seconds": 0.0, "podsPerSecond": 0.0}
	if len(b.waits) > 0 {
		line["seconds"], line["podsPerSecond"] = round(taken.Seconds()), round(float64(len(b.waits))/taken.Seconds())
	}
	for name, part := range map[string]float64{"p50Millis": 0.5, "p90Millis": 0.9, "p99Millis": 0.99, "maxMillis": 1} {
		if len(b.waits) > 0 {
			line[name] = b.waits[int(math.Ceil(part*float64(len(b.waits))))-1].Milliseconds()
		}
	}
	return line
}

func round(value float64) float64 { return math.Round(value*100) / 100 }

// The components of a control plane, from the line that it printed.
func partsOf(path string) (map[string]shownPart, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--plane: %w", err)
	}
	var line struct {
		Parts map[string]shownPart `json:"parts"`
	}
	first, _, _ := strings.Cut(string(content), "\n")
	if err := json.Unmarshal([]byte(first), &line); err != nil {
		return nil, fmt.Errorf("--plane %s: its first line is not what control-plane up prints: %w", path, err)
	}
	return line.Parts, nil
}
