// Package process runs a program beside a world, as a child: it never outlives this process, and it counts as started when its
// probe answers.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// pause is the time between two probes.
const pause = 50 * time.Millisecond

// Process is a running child.
type Process struct {
	command *exec.Cmd
	// name is what errors call it.
	name string
	// exited is closed when the process has ended.
	exited chan struct{}
}

// Start starts a command that writes to a log, and returns when its probe, a URL, answers 200 OK. If it does not, Start ends the process
// with a signal. Errors call it by its name.
func Start(ctx context.Context, command *exec.Cmd, name, probe string, log io.Writer, unready os.Signal) (*Process, error) {
	p, err := Launch(command, name, log)
	if err != nil {
		return nil, err
	}
	if err := p.wait(ctx, probe); err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for %s: %w", name, err), p.end(unready))
	}
	return p, nil
}

// Launch is like Start, but does not wait: the process has no probe.
func Launch(command *exec.Cmd, name string, log io.Writer) (*Process, error) {
	p := &Process{command: command, name: name, exited: make(chan struct{})}
	command.Stdout, command.Stderr = log, log
	// It must not outlive this process, however this process ends.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		_ = command.Wait() // ProcessState says how it ended
		close(p.exited)
	}()
	return p, nil
}

// wait waits until the process is ready, or has ended.
func (p *Process) wait(ctx context.Context, probe string) error {
	again := time.NewTicker(pause)
	defer again.Stop()
	last := errors.New("not probed yet")
	for {
		select {
		case <-p.exited:
			return fmt.Errorf("%s ended: %s", p.name, p.command.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("%w (%w)", last, context.Cause(ctx))
		case <-again.C:
		}
		err := p.ready(ctx, probe)
		if err == nil {
			return nil
		}
		// A probe that the context ends says nothing about the process.
		if ctx.Err() == nil {
			last = err
		}
	}
}

func (p *Process) ready(ctx context.Context, probe string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, probe, http.NoBody)
	if err != nil {
		return fmt.Errorf("making the probe: %w", err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("probing %s: %w", p.name, err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is not ready: %s", p.name, answer.Status)
	}
	return nil
}

// Kill kills the process without letting it clean up.
func (p *Process) Kill() error { return p.end(os.Kill) }

// Stop terminates the process and waits for its end.
func (p *Process) Stop() error { return p.end(syscall.SIGTERM) }

func (p *Process) end(signal os.Signal) error {
	if err := p.command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("ending %s: %w", p.name, err)
	}
	<-p.exited
	return nil
}

// PID returns the process ID.
func (p *Process) PID() int { return p.command.Process.Pid }

// Exited returns a channel that is closed when the process has ended, for whatever reason.
func (p *Process) Exited() <-chan struct{} { return p.exited }
