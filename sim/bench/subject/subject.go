// Package subject runs the measured programs, each as its own process: Sickbay's manager, Cluster API's controller, and
// a floor that only decodes what they watch. It measures all of them from outside, in the same way.
package subject

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Runner starts subjects beside a world.
type Runner struct {
	// Sickbay is the path of Sickbay's binary.
	Sickbay string
	// Previous is the path of an earlier version's binary, if there is one to compare with.
	Previous string
	// Bench is the path of the program that runs Cluster API's controller and the floor: see Main.
	Bench string
	// Log receives their output.
	Log io.Writer

	kubeconfig string
	token      string
	stored     func(context.Context) (Stored, error)
}

// Beside prepares to run subjects beside a world. Dir gets a kubeconfig.
func (r Runner) Beside(ctx context.Context, w *world.World, dir string) (*Runner, error) {
	r.stored, r.kubeconfig = count(w.Client()), filepath.Join(dir, "kubeconfig")
	if err := w.WriteKubeconfig(r.kubeconfig); err != nil {
		return nil, err
	}
	var err error
	r.token, err = metricsReader(ctx, w.Client())
	return &r, err
}

// Process is a running subject.
type Process struct {
	*sickbay.Process

	Subject result.Subject
	// Started is when the process was started, and Ready when it reported that it was ready.
	Started, Ready time.Time

	metrics scraper
	stored  func(context.Context) (Stored, error)
}

// Start starts a subject. It returns when the process is ready, which may be before its first verdict.
func (r *Runner) Start(ctx context.Context, s result.Subject, args ...string) (*Process, error) {
	address, err := sickbay.FreeAddress()
	if err != nil {
		return nil, err
	}
	args = append([]string{"--metrics-bind-address=" + address}, args...)
	binary := r.Bench
	switch s {
	case result.Sickbay:
		binary = r.Sickbay
	case result.Previous:
		binary = r.Previous
	default:
		args = append(args, "--subject="+string(s))
	}
	started := time.Now()
	process, err := sickbay.Start(ctx, sickbay.Options{Binary: binary, Kubeconfig: r.kubeconfig, Args: args, Log: r.Log})
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", s, err)
	}
	p := &Process{Process: process, Subject: s, Started: started, Ready: time.Now(), metrics: newScraper(address, r.token), stored: r.stored}
	// The metrics may come a moment after the probe.
	err = world.Poll(ctx, func(ctx context.Context) error {
		_, err := p.Usage(ctx)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, process.Kill())
	}
	return p, nil
}
