package world

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// launcher runs in place of a binary: it stores the process ID and then becomes the binary.
const launcher = `#!/bin/sh
echo $$ > "$0.pid"
GOGC=%d exec "%s" "$@"
`

// watchdog waits for the end of its standard input, and then kills what was launched. Its input ends
// when this process closes it or ends in any way.
const watchdog = `cat > /dev/null
for f in "$1"/*.pid; do
  if [ -f "$f" ]; then kill -9 "$(cat "$f")" 2> /dev/null; fi
done
rm -rf "$1"
`

func writeLauncher(dir, binary string, gogc int) (string, error) {
	if _, err := os.Stat(binary); err != nil {
		return "", fmt.Errorf("looking for the control plane's binaries: %w", err)
	}
	binary, err := filepath.Abs(binary)
	if err != nil {
		return "", fmt.Errorf("looking for the control plane's binaries: %w", err)
	}
	path := filepath.Join(dir, filepath.Base(binary))
	if err := os.WriteFile(path, fmt.Appendf(nil, launcher, gogc, binary), 0o700); err != nil {
		return "", fmt.Errorf("writing a launcher: %w", err)
	}
	return path, nil
}

// startWatchdog makes sure that a panic, os.Exit or kill -9 leaves no etcd and no kube-apiserver behind.
// No deferred call runs then, but the operating system closes the pipe.
func startWatchdog(dir string) (io.Closer, error) {
	cmd := exec.Command("/bin/sh", "-c", watchdog, "watchdog", dir)
	// Give it its own process group. Otherwise a Ctrl-C meant for this process would end the watchdog
	// first.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("connecting to the watchdog: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the watchdog: %w", err)
	}
	return &leash{stdin: stdin, cmd: cmd}, nil
}

// leash ends a watchdog and waits for it.
type leash struct {
	stdin io.Closer
	cmd   *exec.Cmd
}

// Close implements io.Closer.
func (l *leash) Close() error {
	if err := l.stdin.Close(); err != nil {
		return fmt.Errorf("disconnecting from the watchdog: %w", err)
	}
	if err := l.cmd.Wait(); err != nil {
		return fmt.Errorf("waiting for the watchdog: %w", err)
	}
	return nil
}

// pids returns the IDs of the launched processes by the names of their binaries.
func (cp *controlPlane) pids() (map[string]int, error) {
	files, err := filepath.Glob(filepath.Join(cp.dir, "*.pid"))
	if err != nil {
		return nil, fmt.Errorf("listing launched processes: %w", err)
	}
	ids := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading the ID of a launched process: %w", err)
		}
		id, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return nil, fmt.Errorf("reading the ID of a launched process: %w", err)
		}
		ids[strings.TrimSuffix(filepath.Base(file), ".pid")] = id
	}
	return ids, nil
}

// forgetLaunched keeps the watchdog from killing by the IDs of processes that have ended, because other
// processes may have those IDs now.
func forgetLaunched(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.pid"))
	if err != nil {
		return fmt.Errorf("listing launched processes: %w", err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			return fmt.Errorf("forgetting a launched process: %w", err)
		}
	}
	return nil
}
