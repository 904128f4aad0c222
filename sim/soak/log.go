package soak

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"sync"
)

// bugs matches what must never be in a log.
var bugs = regexp.MustCompile(`DATA RACE|panic|(?i)nil pointer`)

// reader forwards a log, and keeps the lines that show a bug.
type reader struct {
	to io.Writer

	mu    sync.Mutex
	begun []byte
	found []string
}

// Write implements io.Writer.
func (r *reader) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun = append(r.begun, p...)
	for {
		line, rest, ended := bytes.Cut(r.begun, []byte("\n"))
		if !ended {
			break
		}
		if bugs.Match(line) {
			r.found = append(r.found, string(line))
		}
		r.begun = rest
	}
	return r.to.Write(p)
}

// violations returns a sentence if the log shows a bug.
func (r *reader) violations() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.found) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The log of Sickbay shows a bug, the first of %d lines: %s", len(r.found), r.found[0])}
}
