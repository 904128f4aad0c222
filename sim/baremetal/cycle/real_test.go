package cycle_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/baremetal/bmo"
)

// real is the real operator in its test mode, with a machine that follows the operator's power state. There is no
// hardware, so the machine follows the operator's log, which comes just before each change.
type real struct {
	options bmo.Options
	process *bmo.Process
	host    *baremetal.Host
	end     context.CancelFunc
	// switched is called after the machine was switched.
	switched func()

	mu sync.Mutex
	// log is the unread part of the log, and line the beginning of its last, incomplete line.
	log  io.Reader
	line []byte
	on   bool
}

func (s *harness) startReal() (*real, error) {
	s.Helper()
	dir := s.TempDir()
	kubeconfig, path := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "log")
	if err := bmo.WriteKubeconfig(kubeconfig, s.e.Config); err != nil {
		return nil, err
	}
	// A file, because all that was written to it can be read at once, unlike from a pipe.
	written, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("making a file for the log: %w", err)
	}
	read, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the log: %w", err)
	}
	ctx, end := context.WithCancel(context.WithoutCancel(s.ctx))
	r := &real{
		options: bmo.Options{Binary: *binary, Kubeconfig: kubeconfig, Namespace: s.namespace, Log: written},
		host:    baremetal.NewHost(ctx, client.ObjectKey{Namespace: s.namespace, Name: "m"}, baremetal.Options{Clock: s.time}),
		end:     end, switched: s.page.write, log: read,
	}
	go wait.UntilWithContext(ctx, func(context.Context) { r.follow() }, 10*time.Millisecond)
	return r, r.Start(s.ctx)
}

// follow switches the machine according to the log.
func (r *real) follow() {
	r.mu.Lock()
	defer r.mu.Unlock()
	news, _ := io.ReadAll(r.log) // reading an open file does not fail
	lines := bytes.Split(append(r.line, news...), []byte("\n"))
	r.line = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		switch {
		case !bytes.Contains(line, []byte(`"logger":"provisioner.fixture"`)):
		case bytes.Contains(line, []byte(`"ensuring host is powered on"`)):
			r.on = true
		case bytes.Contains(line, []byte(`"ensuring host is powered off"`)):
			r.on = false
		case bytes.Contains(line, []byte(`"changing status"`)):
			r.host.Press(r.on)
			r.switched()
		}
	}
}

func (r *real) Host(client.ObjectKey) *baremetal.Host {
	r.follow()
	return r.host
}

// Start starts a process. It assumes that the machine is off, so it switches off the machine of the process
// before.
func (r *real) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r.host.Press(false)
	var err error
	r.process, err = bmo.Start(ctx, r.options)
	return err
}

func (r *real) Stop() error {
	if r.process == nil {
		return nil
	}
	err := r.process.Kill()
	r.process = nil
	r.follow()
	return err
}

func (r *real) Close() error {
	err := r.Stop()
	r.end()
	r.host.Press(false)
	return err
}
