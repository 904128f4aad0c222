package env

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// guard ensures that no server outlives the test binary. A panicking test or an expired -timeout ends the process
// without running deferred calls, so kube-apiserver and etcd would go on running.
//
// So a small shell waits on a pipe whose other end this process holds. The system closes that end however the process
// dies. Then the shell kills the servers and removes the directory.
type guard struct {
	dir   string
	shell *exec.Cmd
	pipe  io.WriteCloser
}

// guardScript exits when it reads "done", and otherwise kills. It ignores the signals that a terminal sends to all
// processes, since it must run last.
const guardScript = `trap '' INT TERM HUP
read -r word
if [ "$word" != done ]; then
	kill -KILL $(cat "$1/pids")
	sleep 1
fi
rm -rf "$1"`

func newGuard() (*guard, error) {
	dir, err := os.MkdirTemp("", "sickbay-test-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the servers: %w", err)
	}
	g := &guard{dir: dir, shell: exec.Command("sh", "-c", guardScript, "guard", dir)}
	if g.pipe, err = g.shell.StdinPipe(); err != nil {
		return nil, fmt.Errorf("making a pipe to the guard: %w", err)
	}
	if err := g.shell.Start(); err != nil {
		return nil, fmt.Errorf("starting the guard: %w", err)
	}
	return g, nil
}

// serverGOGC trades memory for CPU time: the servers start again for each package.
const serverGOGC = 400

// wrap returns a command that runs the binary in a process whose ID the guard knows.
func (g *guard) wrap(binary string) (string, error) {
	wrapper := filepath.Join(g.dir, filepath.Base(binary))
	script := fmt.Sprintf("#!/bin/sh\necho $$ >>'%s/pids'\nGOGC=%d exec '%s' \"$@\"\n", g.dir, serverGOGC, binary)
	if err := os.WriteFile(wrapper, []byte(script), 0o700); err != nil {
		return "", fmt.Errorf("wrapping %s: %w", binary, err)
	}
	return wrapper, nil
}

// subdir makes a directory that the guard removes.
func (g *guard) subdir(name string) (string, error) {
	dir := filepath.Join(g.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", fmt.Errorf("making a directory for the servers: %w", err)
	}
	return dir, nil
}

// dismiss ends the guard after the servers have stopped.
func (g *guard) dismiss() error {
	_, err := io.WriteString(g.pipe, "done\n")
	if err := errors.Join(err, g.pipe.Close(), g.shell.Wait()); err != nil {
		return fmt.Errorf("dismissing the guard of the servers: %w", err)
	}
	return nil
}
