package versions_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// commitBefore is the last commit without MachineRemediations.
const commitBefore = "91ea92beced475d3d707a1b0e132167db2208cbe"

// buildTime is more than a machine needs to compile everything.
const buildTime = 10 * time.Minute

// buildBefore builds the previous version in a directory, and returns the path of the binary; empty if the history of this repository does
// not have it.
func buildBefore(dir string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), buildTime)
	defer cancel()
	if exec.CommandContext(ctx, "git", "cat-file", "-e", commitBefore+"^{commit}").Run() != nil {
		return "", nil
	}
	source, binary := filepath.Join(dir, "source"), filepath.Join(dir, "sickbay")
	if err := os.Mkdir(source, 0o700); err != nil {
		return "", err
	}
	root, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	archive := filepath.Join(dir, "source.tar")
	for _, command := range []struct {
		dir  string
		args []string
	}{
		{string(root[:len(root)-1]), []string{"git", "archive", "--output=" + archive, commitBefore}},
		{source, []string{"tar", "-xf", archive}},
		{source, []string{"go", "build", "-o", binary, "./cmd/sickbay"}},
	} {
		cmd := exec.CommandContext(ctx, command.args[0], command.args[1:]...)
		cmd.Dir = command.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v: %w\n%s", command.args, err, out)
		}
	}
	return binary, nil
}
