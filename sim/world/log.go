package world

import (
	"bytes"
	"io"
	stdlog "log"
	"log/slog"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// redirectLogs returns the logger of a world's controllers and sends the logs of the libraries below them
// to the same sink. The libraries have one logger per process: with several worlds, the last one gets it.
// controller-runtime keeps the first logger that it is given, so a program that sets its own before Start
// keeps it.
func redirectLogs(o Options) logr.Logger {
	process.set(o.Log)
	processLevel.Set(o.LogLevel)
	redirectOnce.Do(func() {
		logger := newLogger(process, &processLevel)
		klog.SetLogger(logger)
		ctrl.SetLogger(logger)
		stdlog.SetOutput(&diverter{rest: stdlog.Writer()})
	})
	return newLogger(o.Log, o.LogLevel)
}

var (
	redirectOnce sync.Once
	process      = &sink{to: io.Discard}
	processLevel slog.LevelVar
)

func newLogger(to io.Writer, level slog.Leveler) logr.Logger {
	return logr.FromSlogHandler(slog.NewTextHandler(to, &slog.HandlerOptions{Level: level}))
}

// diverter takes the errors of net/http out of the standard logger and lets everything else pass. The
// in-memory API servers cause many of them.
type diverter struct {
	rest io.Writer
}

// Write implements io.Writer.
func (d *diverter) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(" http: ")) {
		return process.Write(line)
	}
	return d.rest.Write(line)
}

// Shared returns a writer that several processes can write to.
func Shared(to io.Writer) io.Writer { return &sink{to: to} }

// sink is a writer whose target can be replaced. It is safe for concurrent use.
type sink struct {
	mu sync.Mutex
	to io.Writer
}

func (s *sink) set(to io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = to
}

// Write implements io.Writer.
func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(p)
}
