// Package source describes what is built: a version, its commit, and the time that all files get.
package source

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Home is the address of the repository.
const Home = "https://github.com/sickbay-dev/sickbay"

// Source describes what an artifact is made from. Artifacts with equal sources are equal, byte for byte.
type Source struct {
	Version, Revision string
	// Time is the time of the commit, not of the build.
	Time time.Time
	// Changed reports that files differ from the commit, or are not part of it.
	Changed bool
}

// Of asks git about the repository in dir. SOURCE_DATE_EPOCH, if set, overrides the time of the commit.
func Of(ctx context.Context, dir, version string) (Source, error) {
	commit, err := git(ctx, dir, "log", "-1", "--format=%H %ct")
	if err != nil {
		return Source{}, err
	}
	revision, seconds, _ := strings.Cut(commit, " ")
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds = epoch
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return Source{}, fmt.Errorf("SOURCE_DATE_EPOCH must be seconds since 1970: %w", err)
	}
	changes, err := git(ctx, dir, "status", "--porcelain")
	if err != nil {
		return Source{}, err
	}
	return Source{Version: version, Revision: revision, Time: time.Unix(unix, 0).UTC(), Changed: changes != ""}, nil
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
