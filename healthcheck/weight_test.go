package healthcheck_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestWeight: who imports the engine pays for controller-runtime, and for little else. Checks of particular kinds are
// in packages of their own, and nobody pays for those who does not import them.
func TestWeight(t *testing.T) {
	const most = 40
	base := dependencies(t, "sigs.k8s.io/controller-runtime")
	more := slices.DeleteFunc(dependencies(t, "github.com/sickbay-dev/sickbay/healthcheck"), func(pkg string) bool { return slices.Contains(base, pkg) })
	if len(more) > most {
		t.Errorf("%d packages more than controller-runtime, and %d may be:\n%s", len(more), most, strings.Join(more, "\n"))
	}
	for _, pkg := range more {
		if strings.Contains(pkg, "/healthcheck/") {
			t.Errorf("the engine imports %s", pkg)
		}
	}
}

// dependencies are the packages that a package needs, and the package.
func dependencies(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pkg).Output()
	if err != nil {
		t.Fatalf("listing the dependencies of %s: %v", pkg, err)
	}
	return strings.Fields(string(out))
}
