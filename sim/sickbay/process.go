// Package sickbay runs the real binary beside a world, as its own process: it can be killed at any
// moment, and it knows the world only through a kubeconfig.
package sickbay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"syscall"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// Options say how to run the binary.
type Options struct {
	// Binary is the path of the binary.
	Binary string
	// Kubeconfig is the path of the management cluster's kubeconfig.
	Kubeconfig string
	// Args are added to the command line.
	Args []string
	// Log receives the output of the process.
	Log io.Writer
}

// Process is a running manager.
type Process struct {
	command *exec.Cmd
	// exited is closed when the process has ended; err is then its error.
	exited chan struct{}
	err    error
	probe  string
}

// Start runs the manager and returns when it is ready.
func Start(ctx context.Context, o Options) (*Process, error) {
	probe, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	args := append([]string{
		"manager", "--kubeconfig", o.Kubeconfig, "--metrics-bind-address=0", "--health-probe-bind-address=" + probe,
	}, o.Args...)
	p := &Process{command: exec.Command(o.Binary, args...), exited: make(chan struct{}), probe: "http://" + probe + "/readyz"}
	p.command.Stdout, p.command.Stderr = o.Log, o.Log
	// It must not outlive this process, however this process ends.
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", o.Binary, err)
	}
	go func() {
		p.err = p.command.Wait()
		close(p.exited)
	}()
	if err := p.wait(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for the manager: %w", err), p.Kill())
	}
	return p, nil
}

// wait waits until the process is ready, or has ended.
func (p *Process) wait(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-p.exited:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := world.Poll(ctx, p.ready)
	select {
	case <-p.exited:
		return p.ready(ctx) // it says how it ended
	default:
		return err
	}
}

// Kill kills the process without letting it clean up.
func (p *Process) Kill() error { return p.end(os.Kill) }

// Stop terminates the process and waits for its end.
func (p *Process) Stop() error { return p.end(syscall.SIGTERM) }

func (p *Process) end(signal os.Signal) error {
	if err := p.command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("ending the manager: %w", err)
	}
	<-p.exited
	return nil
}

// PID returns the process ID.
func (p *Process) PID() int { return p.command.Process.Pid }

// Exited returns a channel that is closed when the process has ended, for whatever reason.
func (p *Process) Exited() <-chan struct{} { return p.exited }

func (p *Process) ready(ctx context.Context) error {
	select {
	case <-p.exited:
		return fmt.Errorf("the manager ended: %w", p.err)
	default:
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.probe, http.NoBody)
	if err != nil {
		return fmt.Errorf("making the probe: %w", err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("probing the manager: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the manager is not ready: %s", answer.Status)
	}
	return nil
}
