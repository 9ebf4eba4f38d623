package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
)

// The kernel counts processor time in hundredths of a second, whatever the machine.
const tick = 10 * time.Millisecond

// What reads the figures of a control plane.
type meter struct {
	pids map[string]int
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
	}
	return made, nil
}

// Figures of one moment, that only grow.
type figures struct {
	cpu    map[string]time.Duration
	writes map[string]int
}

func (m *meter) read(ctx context.Context, api kubernetes.Interface) (figures, error) {
	made := figures{cpu: map[string]time.Duration{}}
	for name, pid := range m.pids {
		used, err := cpuOf(pid)
		if err != nil {
			return made, fmt.Errorf("processor time of %s: %w", name, err)
		}
		made.cpu[name] = used
	}
	text, err := api.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return made, fmt.Errorf("figures of the API server: %w", err)
	}
	made.writes = writesIn(text)
	return made, nil
}

// cpuOf reads the time that a process has used, in user mode and in the kernel.
func cpuOf(pid int) (time.Duration, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(content), ") ") // the name may hold blanks
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick, nil
}

// writesIn counts the requests that change something, by verb, resource and answer.
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

func (f figures) writesSince(before figures, pods int) (map[string]int, float64) {
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
	return grown, round(float64(sum) / float64(pods))
}

func (f figures) cpuSince(before figures, pods int) map[string]float64 {
	made := map[string]float64{}
	for name, used := range f.cpu {
		made[name] = round(float64((used - before.cpu[name]).Microseconds()) / 1000 / float64(pods))
	}
	return made
}
