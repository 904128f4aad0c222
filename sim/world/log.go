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

// redirectLogs sends what the libraries below a world log to its sink. klog and controller-runtime have
// one logger per process; for controller-runtime the first one set counts, so a program that sets its
// own before Start keeps it.
func redirectLogs(o Options) logr.Logger {
	logger := logr.FromSlogHandler(slog.NewTextHandler(o.Log, &slog.HandlerOptions{Level: o.LogLevel}))
	klog.SetLogger(logger)
	ctrl.SetLogger(logger)
	divertOnce.Do(func() { stdlog.SetOutput(&diverter{rest: stdlog.Writer()}) })
	diverted.set(o.Log)
	return logger
}

var (
	divertOnce sync.Once
	diverted   sink
)

// diverter takes the complaints of net/http out of the standard logger, where the in-memory API servers
// leave many, and lets everything else pass.
type diverter struct {
	rest io.Writer
}

// Write implements io.Writer.
func (d *diverter) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(" http: ")) {
		return diverted.Write(line)
	}
	return d.rest.Write(line)
}

// sink is a writer that can be exchanged and used from several goroutines.
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
