package versions_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

var (
	// versions enables these tests, which need another version to be built.
	versions = flag.Bool("versions", false, "change versions in the middle of repairs, as make test-upgrade asks for")

	harness *e2e.Harness
	// before is the path of the last version's binary.
	before string
)

func TestMain(m *testing.M) {
	flag.Parse()
	if !*versions {
		fmt.Fprintln(os.Stdout, "The change of versions is tried by make test-upgrade.")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sickbay-before-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), buildTime)
	defer cancel()
	tag, err := lastTag(ctx)
	if err == nil && tag == "" {
		fmt.Fprintln(os.Stdout, "LEFT OUT: there is no tag yet, so no version to change from.")
		return 0
	}
	if err == nil {
		before, err = build(ctx, tag, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "building the last version:", err)
		return 1
	}
	o := e2e.Options{
		Package: "e2e/versions",
		World:   world.Options{BareMetal: true, CRDPaths: []string{"../testdata/fix.yaml"}},
		Others: []rbacv1.PolicyRule{
			{APIGroups: []string{"remediation.example.dev"}, Resources: []string{"fixremediationtemplates"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{"remediation.example.dev"}, Resources: []string{"fixremediations"}, Verbs: []string{"get", "list", "watch", "create", "delete"}},
			{APIGroups: []string{"infrastructure.cluster.x-k8s.io"}, Resources: []string{"devmachines"}, Verbs: []string{"get"}},
		},
	}
	return e2e.Main(m, o, func(h *e2e.Harness) { harness = h })
}

// buildTime is more than a machine needs to compile everything.
const buildTime = 10 * time.Minute

// lastTag returns the newest tag of the operator that is not on the current commit; empty if there is none. Tags of the modules below it
// begin with their directories.
func lastTag(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "tag", "--list", "v*", "--sort=-version:refname", "--no-contains=HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("listing the tags: %w", err)
	}
	tag, _, _ := strings.Cut(string(out), "\n")
	return tag, nil
}

// build builds the version of a tag in a directory, and returns the path of the binary.
func build(ctx context.Context, tag, dir string) (string, error) {
	root, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	source, binary, archive := filepath.Join(dir, "source"), filepath.Join(dir, "sickbay"), filepath.Join(dir, "source.tar")
	if err := os.Mkdir(source, 0o700); err != nil {
		return "", err
	}
	for _, command := range []struct {
		dir  string
		args []string
	}{
		{strings.TrimSpace(string(root)), []string{"git", "archive", "--output=" + archive, tag}},
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
