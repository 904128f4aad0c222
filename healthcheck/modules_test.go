package healthcheck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestModules limits the modules of a program that uses the engine and the checks, as `go list -m all` lists them. Of these 149, controller-runtime
// alone brings 148.
func TestModules(t *testing.T) {
	const most = 150
	dir, used := t.TempDir(), map[string]bool{}
	for line := range strings.Lines(output(t, ".", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", ".", "./checks")) {
		used[strings.TrimSpace(line)] = true
	}
	library, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	const path = "github.com/sickbay-dev/sickbay/healthcheck"
	mod := "module example.com/user\n\ngo 1.26.0\n\nreplace " + path + " => " + library + "\n\nrequire " + path + " v0.0.0\n"
	for module := range used {
		if strings.Contains(module, " ") {
			mod += "require " + module + "\n"
		}
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"go.mod": mod, "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := strings.Split(strings.TrimSpace(output(t, dir, "list", "-mod=mod", "-m", "-f", "{{.Path}}", "all")), "\n")
	if len(all) > most || len(all) < 100 {
		t.Errorf("a user has %d modules, and %d may be:\n%s", len(all), most, strings.Join(all, "\n"))
	}
	for _, unwanted := range []string{"github.com/sickbay-dev/sickbay", "github.com/openshift/api", "sigs.k8s.io/cluster-api", "sigs.k8s.io/cluster-api/api", "github.com/gardener/gardener"} {
		if slices.Contains(all, unwanted) {
			t.Errorf("a user has %s", unwanted)
		}
	}
}

// output returns the output of a go command.
func output(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}
