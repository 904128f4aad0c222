package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestReferenceRuns renders commands in the documentation together with their output in the tests.
func TestReferenceRuns(t *testing.T) {
	runs := map[string][2]string{
		"approve":   {"sickbay approve metal-3 --reason 'its data is safe' --yes", "approve"},
		"deny":      {"sickbay deny machine/metal-3 --yes", "deny"},
		"retry":     {"sickbay retry metal-3 --from reboot --reason 'the firmware is fixed' --yes", "retry"},
		"cancel":    {"sickbay cancel metal-3 --yes", "cancel"},
		"reboot":    {"sickbay reboot metal-3 --reason 'new firmware' --yes", "reboot"},
		"hold":      {"sickbay hold mhc/workers --until 2026-11-23T08:00:00Z --reason 'its disk is being replaced' --yes", "hold-mhc-workers"},
		"simulate":  {"sickbay simulate -f mhc.yaml --fail zone=b", "simulate"},
		"uninstall": {"sickbay uninstall --dry-run", "uninstall-dry-run"},
		"replay":    {"sickbay explain metal-3 --bundle metal-3.yaml --redact > /dev/null\n$ sickbay replay metal-3.yaml", "replay"},
		"release":   {"sickbay release mhc/workers --yes", "release-mhc-workers"},
	}
	for name, run := range runs {
		printed, err := os.ReadFile(filepath.Join("testdata", run[1]+".golden"))
		if err != nil {
			t.Fatal(err)
		}
		docs.Section(t, "../../docs/commands.md", "run-"+name, "\n```\n$ "+run[0]+"\n"+string(printed)+"```\n\n")
	}
}
