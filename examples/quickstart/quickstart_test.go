// Package quickstart_test follows docs/quickstart.md to the letter.
package quickstart_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/page"
)

const (
	root = "../.."
	// patience is how long everything may take, including the build.
	patience = 10 * time.Minute
)

func TestMain(m *testing.M) { env.Main(m) }

// TestQuickstart runs the commands of the page in one shell, and compares their output with that on the page.
func TestQuickstart(t *testing.T) {
	config := env.Get(t).Config
	kubectl, err := filepath.Abs(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kubectl); err != nil {
		t.Fatalf("there is no kubectl: make controlplane brings it: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(filepath.Join(root, "manager.log")) })
	shell := page.Shell{
		Dir: root, Tools: []string{filepath.Dir(kubectl)}, Timeout: patience,
		Env: []string{"KUBECONFIG=" + env.Kubeconfig(t, config, "robin", "")},
	}
	shell.Follow(t, root+"/docs/quickstart.md")
}
