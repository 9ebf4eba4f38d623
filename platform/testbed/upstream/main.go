// Upstream answers what kube-scheduler would, 1.37, or 1.36 where it is built with the tag kubernetes136 and go-1.36.mod: it runs the published allocator and CEL code of
// k8s.io/dynamic-resource-allocation on questions that it reads as JSON, one a line, from standard input, and writes one line of
// JSON for each to standard output. A question that cannot be read, or on which upstream panics, is answered with an error; only the
// end of the input ends the program.
//
//	upstream allocate   which devices the claims of one pod get, node by node
//	upstream measure    how long that takes, from an allocator made anew to the first node that fits
//	upstream match      whether a selector takes a device, and what the evaluation costs
//	upstream consumers  which claims a pod uses, and for whom each is reserved; 1.37 alone
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

// lineBytesMax bounds a question; a longer one ends the program, because the rest of the line cannot be found.
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
		// Whoever asks one question at a time waits for its answer.
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

// guarded runs a piece of upstream; its panic is an error like any other.
func guarded(run func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
	}()
	return run()
}

// text is what an answer says of an error; empty where there is none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
