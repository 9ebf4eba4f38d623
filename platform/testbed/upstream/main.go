// Upstream computes the results of kube-scheduler 1.37, or of 1.36 if built with the tag kubernetes136 and go-1.36.mod. It runs the published allocator and CEL code
// of k8s.io/dynamic-resource-allocation. It reads questions as JSON lines from standard input, and writes one JSON line per question to
// standard output. An invalid question, or a panic of upstream, gives a line with an error. The program ends with its input.
//
//	upstream allocate   which devices the claims of one pod get, node by node
//	upstream measure    the time from a new allocator to the first node that fits
//	upstream match      whether a selector matches a device, and the cost of the evaluation
//	upstream consumers  the claims of a pod and their consumers; 1.37 only
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// lineBytesMax is the maximum length of a question. A longer one ends the program, because its end cannot be found.
const lineBytesMax = 256 << 20

func main() {
	var answer func(line []byte) any
	switch {
	case len(os.Args) == 2 && os.Args[1] == "allocate":
		answer = allocateLine
	case len(os.Args) == 2 && os.Args[1] == "measure":
		answer = measureLine
	case len(os.Args) == 2 && os.Args[1] == "match":
		answer = matchLine
	case len(os.Args) == 2 && os.Args[1] == "consumers":
		answer = consumersLine
	default:
		fmt.Fprintln(os.Stderr, "usage: upstream allocate|measure|match|consumers < questions.ndjson > answers.ndjson")
		os.Exit(2)
	}
	if err := serve(os.Stdin, os.Stdout, answer); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer, answer func(line []byte) any) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	buffered := bufio.NewWriter(out)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	for {
		line, err := readLine(lines)
		if len(line) > 0 {
			if err := encoder.Encode(answer(line)); err != nil {
				return fmt.Errorf("write an answer: %w", err)
			}
		}
		// A client with one question at a time waits for the answer.
		if lines.Buffered() == 0 || err != nil {
			if err := buffered.Flush(); err != nil {
				return fmt.Errorf("write the answers: %w", err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a question: %w", err)
		}
	}
}

func readLine(lines *bufio.Reader) ([]byte, error) {
	var whole []byte
	for {
		part, err := lines.ReadSlice('\n')
		whole = append(whole, part...)
		if len(whole) > lineBytesMax {
			return nil, fmt.Errorf("a line has more than %d bytes", lineBytesMax)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return trimmed(whole), err
		}
	}
}

func trimmed(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}

// guarded runs code of upstream, and returns a panic as an error.
func guarded(run func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
	}()
	return run()
}

// text returns the message of an error; empty for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
