package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
)

// The kernel counts processor time in hundredths of a second on every machine.
const tick = 10 * time.Millisecond

// Reads figures of a control plane and of other processes.
type meter struct {
	pids   map[string]int
	beside []string // processes with figures per thread
}

func newMeter(plane, processes string) (*meter, error) {
	made := &meter{pids: map[string]int{}}
	if plane != "" {
		parts, err := partsOf(plane)
		if err != nil {
			return nil, err
		}
		for name, each := range parts {
			made.pids[name] = each.Pid
		}
	}
	for _, each := range strings.FieldsFunc(processes, func(r rune) bool { return r == ',' }) {
		name, text, _ := strings.Cut(each, "=")
		pid, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("--processes %s: must be NAME=PID", each)
		}
		made.pids[name] = pid
		made.beside = append(made.beside, name)
	}
	return made, nil
}

// Counters at one time. They only increase.
type figures struct {
	at      time.Time
	cpu     map[string]time.Duration
	threads map[string]map[string]time.Duration // by process and thread
	machine time.Duration                       // use of all processors by all processes
	writes  map[string]int
}

// Name of this program in the figures.
const itself = "load"

func (m *meter) read(ctx context.Context, api kubernetes.Interface) (figures, error) {
	made := figures{at: time.Now(), cpu: map[string]time.Duration{}, threads: map[string]map[string]time.Duration{}}
	for name, pid := range m.pids {
		used, err := cpuOf(pid)
		if err != nil {
			return made, fmt.Errorf("processor time of %s: %w", name, err)
		}
		made.cpu[name] = used
	}
	for _, name := range m.beside {
		made.threads[name] = threadsOf(m.pids[name])
	}
	used, err := cpuOf(os.Getpid())
	if err != nil {
		return made, fmt.Errorf("processor time of this program: %w", err)
	}
	made.cpu[itself], made.machine = used, machineUse()
	text, err := api.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return made, fmt.Errorf("figures of the API server: %w", err)
	}
	made.writes = writesIn(text)
	return made, nil
}

// cpuOf returns the processor time of a process, in user mode and in the kernel.
func cpuOf(pid int) (time.Duration, error) {
	_, used, err := statOf(fmt.Sprintf("/proc/%d/stat", pid))
	return used, err
}

// statOf returns the name and the processor time of a process or thread.
func statOf(path string) (string, time.Duration, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", 0, err
	}
	begin, end := bytes.IndexByte(content, '('), bytes.LastIndexByte(content, ')') // the name may contain any character
	fields := strings.Fields(string(content[end+1:]))
	if begin < 0 || end < begin || len(fields) < 13 {
		return "", 0, fmt.Errorf("%s is not as the kernel writes it: %s", path, content)
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return string(content[begin+1 : end]), time.Duration(user+system) * tick, nil
}

// threadsOf returns the processor time of the live threads of a process, by name without number. Ended threads count for the process only.
func threadsOf(pid int) map[string]time.Duration {
	made := map[string]time.Duration{}
	folder := fmt.Sprintf("/proc/%d/task", pid)
	tasks, err := os.ReadDir(folder)
	if err != nil {
		return made // not every system has figures per thread
	}
	for _, each := range tasks {
		if name, used, err := statOf(filepath.Join(folder, each.Name(), "stat")); err == nil {
			made[strings.TrimRight(name, "0123456789#-")] += used
		}
	}
	return made
}

// machineUse returns the use of all processors since boot; zero if the system does not report it.
func machineUse() time.Duration {
	content, _ := os.ReadFile("/proc/stat")
	first, _, _ := strings.Cut(string(content), "\n")
	fields := strings.Fields(first) // cpu user nice system idle iowait irq softirq steal
	used := 0
	for i, each := range fields {
		if i > 0 && i < 8 && i != 4 && i != 5 {
			ticks, _ := strconv.Atoi(each)
			used += ticks
		}
	}
	return time.Duration(used) * tick
}

// writesIn returns the number of write requests by verb, resource and response code.
func writesIn(text []byte) map[string]int {
	made := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		labels, isTotal := strings.CutPrefix(lines.Text(), "apiserver_request_total{")
		if !isTotal {
			continue
		}
		labels, number, _ := strings.Cut(labels, "} ")
		verb, resource, code := label(labels, "verb"), label(labels, "resource"), label(labels, "code")
		if verb != "POST" && verb != "PUT" && verb != "PATCH" && verb != "APPLY" && verb != "DELETE" {
			continue
		}
		if sub := label(labels, "subresource"); sub != "" {
			resource += "/" + sub
		}
		count, _ := strconv.ParseFloat(number, 64)
		made[verb+" "+resource+" "+code] += int(count)
	}
	return made
}

func label(labels, name string) string {
	_, rest, _ := strings.Cut(","+labels, ","+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func (f figures) writesSince(before figures) (map[string]int, int) {
	grown, sum := maps.Clone(f.writes), 0
	for what, count := range before.writes {
		grown[what] -= count
	}
	maps.DeleteFunc(grown, func(_ string, count int) bool { return count == 0 })
	for what, count := range grown {
		if !strings.Contains(what, " leases ") {
			sum += count
		}
	}
	return grown, sum
}

// tellCPU adds the processor time of each process and thread, and of all other processes of the machine.
func (f figures) tellCPU(line map[string]any, before figures, pods int) {
	seconds, perPodOf, byThread, ours := map[string]float64{}, map[string]float64{}, map[string]map[string]float64{}, time.Duration(0)
	for name, used := range f.cpu {
		spent := used - before.cpu[name]
		ours += spent
		seconds[name], perPodOf[name] = spent.Seconds(), perPod(spent.Seconds()*1000, pods)
	}
	for name, threads := range f.threads {
		byThread[name] = map[string]float64{}
		for thread, used := range threads {
			if spent := used - before.threads[name][thread]; spent > 0 {
				byThread[name][thread] = spent.Seconds()
			}
		}
	}
	line["cpuSeconds"], line["cpuMillisPerPod"], line["threadSeconds"] = seconds, perPodOf, byThread
	line["measuredSeconds"], line["processors"] = round(f.at.Sub(before.at).Seconds()), runtime.NumCPU()
	line["otherCPUSeconds"] = max(0, (f.machine - before.machine - ours).Seconds())
}

func perPod(sum float64, pods int) float64 { return round(sum / float64(max(1, pods))) }
