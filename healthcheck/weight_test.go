package healthcheck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWeight: importing the engine costs controller-runtime and little else. Checks of particular kinds are in their
// own packages, and cost only those who import them.
func TestWeight(t *testing.T) {
	const most = 40
	base := dependencies(t, "sigs.k8s.io/controller-runtime")
	more := slices.DeleteFunc(dependencies(t, "github.com/sickbay-dev/sickbay/healthcheck"), func(pkg string) bool { return slices.Contains(base, pkg) })
	if len(more) > most {
		t.Errorf("%d packages more than controller-runtime, and %d may be:\n%s", len(more), most, strings.Join(more, "\n"))
	}
	for _, pkg := range more {
		if strings.Contains(pkg, "/healthcheck/") && !strings.Contains(pkg, "/healthcheck/internal/") {
			t.Errorf("the engine imports %s", pkg)
		}
	}
}

// dependencies returns the packages that a package needs, and itself.
func dependencies(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pkg).Output()
	if err != nil {
		t.Fatalf("listing the dependencies of %s: %v", pkg, err)
	}
	return strings.Fields(string(out))
}

// TestBinary compares the binary of a manager with the engine and one without.
func TestBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("links two binaries")
	}
	const most = 20 << 20
	if more := size(t, "with") - size(t, "without"); more > most {
		t.Errorf("the engine adds %d bytes to a manager, and %d may be", more, most)
	}
}

// size builds a command and returns its size in bytes.
func size(t *testing.T, command string) int64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), command)
	build := exec.CommandContext(t.Context(), "go", "build", "-o", file, "./testdata/weight/"+command)
	// Without C, like everything that make builds, so most packages are compiled already.
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", command, err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
