//go:build linux

package processes

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const lineMax = 16 << 10 // bytes; a longer line is written in parts, as by other runtimes

// The log of a container, in the format that kubelets read.
type logFile struct {
	path  string
	lock  sync.Mutex
	file  *os.File
	ended bool // no process writes to it
}

func newLogFile(path string) *logFile { return &logFile{path: path} }

// reopen appends to the file of that name. After the end of the process it does nothing.
func (l *logFile) reopen() error {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o640)
	if err != nil {
		return err
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.ended {
		return file.Close()
	}
	if l.file != nil {
		_ = l.file.Close()
	}
	l.file = file
	return nil
}

// close closes the log, also one that was never opened.
func (l *logFile) close() {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.ended = true
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}

// copy writes a stream to the log, line by line. It continues after a disk error, so that the process does not block.
func (l *logFile) copy(stream string, from io.Reader) {
	lines := bufio.NewReaderSize(from, lineMax)
	for {
		text, err := lines.ReadSlice('\n')
		if len(text) > 0 {
			l.write(stream, text)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (l *logFile) write(stream string, text []byte) {
	tag, end := "P", "\n"
	if text[len(text)-1] == '\n' {
		tag, end = "F", ""
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	_, _ = fmt.Fprintf(l.file, "%s %s %s %s%s", time.Now().Format(time.RFC3339Nano), stream, tag, text, end)
}
