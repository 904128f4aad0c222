package cli

import (
	"path/filepath"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestReferenceRuns renders commands in the documentation together with their output in the tests.
func TestReferenceRuns(t *testing.T) {
	runs := map[string][2]string{
		"approve":   {"sickbay approve metal-3 --reason 'its data is safe' --yes", "approve"},
		"reboot":    {"sickbay reboot metal-3 --reason 'new firmware' --yes", "reboot"},
		"hold":      {"sickbay hold mhc/workers --until 2026-11-23T08:00:00Z --reason 'its disk is being replaced' --yes", "hold-mhc-workers"},
		"simulate":  {"sickbay simulate -f mhc.yaml --fail zone=b", "simulate"},
		"uninstall": {"sickbay uninstall --dry-run", "uninstall-dry-run"},
	}
	for name, run := range runs {
		printed := docs.Text(t, filepath.Join("testdata", run[1]+".golden"))
		docs.Section(t, "../../docs/commands.md", "run-"+name, "\n```\n$ "+run[0]+"\n"+printed+"```\n\n")
	}
}
