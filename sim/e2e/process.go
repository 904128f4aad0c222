package e2e

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/process"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// Sickbay is a running process with its log.
type Sickbay struct {
	*sickbay.Process
	Log *Log
}

// Sickbay starts a process that watches one namespace. At the end of the test, Sickbay stops the process and checks that its log shows no
// bug.
func (h *Harness) Sickbay(t testing.TB, namespace string, args ...string) *Sickbay {
	t.Helper()
	return h.SickbayEverywhere(t, append([]string{"--namespace=" + namespace}, args...)...)
}

// SickbayEverywhere starts a process that watches all namespaces, unless its arguments say otherwise. It runs as the ServiceAccount that
// the chart creates for it.
func (h *Harness) SickbayEverywhere(t testing.TB, args ...string) *Sickbay {
	t.Helper()
	kubeconfig, err := h.Kubeconfig(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return StartSickbay(t, h.Binary, kubeconfig, args...)
}

// StartSickbay starts a process with any kubeconfig.
func StartSickbay(t testing.TB, binary, kubeconfig string, args ...string) *Sickbay {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	log := &Log{}
	process, err := sickbay.Start(ctx, sickbay.Options{Binary: binary, Kubeconfig: kubeconfig, Args: args, Log: log})
	if err != nil {
		t.Fatalf("starting Sickbay: %v\n%s", err, log)
	}
	t.Cleanup(func() {
		if err := process.Stop(); err != nil {
			t.Errorf("stopping Sickbay: %v", err)
		}
		if bug := log.Bug(); bug != "" {
			t.Errorf("Sickbay's log shows %q", bug)
		}
		if t.Failed() {
			t.Logf("Sickbay's log:\n%s", log)
		}
	})
	return &Sickbay{process, log}
}

// Log collects the output of a process.
type Log struct{ process.Log }

// Lines returns the lines that contain a text.
func (l *Log) Lines(text string) []string {
	var lines []string
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, text) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// bugs matches what must never be in a log.
var bugs = regexp.MustCompile(`DATA RACE|panic|(?i)nil pointer|goroutine \d+ \[`)

// Bug returns the first sign of a bug; empty if there is none.
func (l *Log) Bug() string { return bugs.FindString(l.String()) }
