package sickbay

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Build builds the binary in a directory and returns its path. The binary has the race detector if the caller
// has it.
func Build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "sickbay")
	// It is the binary that users get, also if this process was built with another Cluster API.
	args := []string{"build", "-modfile=go.mod", "-overlay=", "-o", binary}
	if raceDetector {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/sickbay")...)
	_, file, _, _ := runtime.Caller(0)
	cmd.Dir = filepath.Join(filepath.Dir(file), "..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building sickbay: %w\n%s", err, out)
	}
	return binary, nil
}
