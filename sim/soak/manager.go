package soak

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// manager is the process of Sickbay, which can be killed and started again.
type manager struct {
	runner *subject.Runner
	ledger *Ledger
	// fail is called if the process ends by itself.
	fail func(error)

	mu      sync.Mutex
	process *subject.Process
	// expected is closed before the manager ends the process.
	expected chan struct{}
	starts   int
}

// unreadAfter is the grace period for Nodes that cannot be read. It is short, so that Sickbay reports silent clusters.
const unreadAfter = 20 * time.Second

func (m *manager) start(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	process, err := m.runner.Start(ctx, result.Sickbay, "--remote-conditions-grace-period="+unreadAfter.String())
	if err != nil {
		return err
	}
	expected := make(chan struct{})
	go func() {
		<-process.Exited()
		select {
		case <-expected:
		default:
			m.fail(errors.New("the manager ended by itself"))
		}
	}()
	m.process, m.expected = process, expected
	m.starts++
	m.ledger.set(About{Fact: Down}, false)
	return nil
}

// end ends the process, which must be running.
func (m *manager) end(how func(*subject.Process) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process == nil {
		return nil
	}
	close(m.expected)
	m.ledger.set(About{Fact: Down}, true)
	err := how(m.process)
	m.process = nil
	return err
}

func (m *manager) kill() error { return m.end((*subject.Process).Kill) }

func (m *manager) stop() error { return m.end((*subject.Process).Stop) }

// freeze freezes the process while wait runs. Other calls block meanwhile.
func (m *manager) freeze(wait func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process == nil {
		return nil
	}
	if err := syscall.Kill(m.process.PID(), syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stopping the manager: %w", err)
	}
	err := wait()
	if goOn := syscall.Kill(m.process.PID(), syscall.SIGCONT); goOn != nil {
		return fmt.Errorf("having the manager go on: %w", goOn)
	}
	return err
}

// connected returns nil if the process leads and reads that many workload clusters.
func (m *manager) connected(ctx context.Context, clusters int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process == nil {
		return errors.New("the manager does not run")
	}
	families, err := m.process.Metrics(ctx)
	if err != nil {
		return err
	}
	leads, reads := families["sickbay_leader"], families["sickbay_workload_cluster_reachable"]
	if n := len(leads.GetMetric()); n == 0 || int(sum(leads)) < n || int(sum(reads)) < clusters {
		return errors.New("the manager is about to connect")
	}
	return nil
}

// sample takes a sample. It returns false while the manager does not run.
func (m *manager) sample(ctx context.Context, began time.Time) (Sample, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.process == nil {
		return Sample{}, false, nil
	}
	families, err := m.process.Metrics(ctx)
	if err != nil {
		return Sample{}, false, err
	}
	s := Sample{At: time.Since(began), Process: m.starts, Depth: sum(families["workqueue_depth"])}
	for name, value := range map[string]*float64{
		"go_goroutines": &s.Goroutines, "process_resident_memory_bytes": &s.Resident, "go_gc_heap_live_bytes": &s.Live,
	} {
		if families[name] == nil {
			return Sample{}, false, fmt.Errorf("the manager has no metric %s", name)
		}
		*value = sum(families[name])
	}
	return s, true, nil
}

// sum returns the sum of the gauges of a family, which may be nil.
func sum(family *dto.MetricFamily) float64 {
	all := 0.0
	for _, m := range family.GetMetric() {
		all += m.GetGauge().GetValue()
	}
	return all
}
