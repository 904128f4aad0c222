// Package sickbay runs the real binary beside a world, as its own process: it can be killed at any
// moment, and it knows the world only through a kubeconfig.
package sickbay

import (
	"context"
	"io"
	"os"
	"os/exec"

	"github.com/sickbay-dev/sickbay/sim/process"
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
type Process = process.Process

// Start runs the manager and returns when it is ready.
func Start(ctx context.Context, o Options) (*Process, error) {
	probe, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	args := append([]string{
		"manager", "--kubeconfig", o.Kubeconfig, "--metrics-bind-address=0", "--health-probe-bind-address=" + probe,
	}, o.Args...)
	return process.Start(ctx, exec.Command(o.Binary, args...), "the manager", "http://"+probe+"/readyz", o.Log, os.Kill)
}
