// Package source says what is built: a version, the commit it is made of, and the time that all files bear.
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

// Home is where the source code is kept.
const Home = "https://github.com/sickbay-dev/sickbay"

// Source is what an artifact is made of. Two artifacts of equal sources are equal, byte for byte.
type Source struct {
	Version, Revision string
	// Time is that of the commit, and not that of the build.
	Time time.Time
	// Changed reports that files differ from the commit, or are not part of it.
	Changed bool
}

// Of asks git about the repository in dir. SOURCE_DATE_EPOCH, if set, has precedence over the time of the commit.
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
		return Source{}, fmt.Errorf("SOURCE_DATE_EPOCH is to be seconds since 1970: %w", err)
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
