package config_test

import (
	"os"
	"strings"
	"testing"
)

// TestRemovalNamesRecords: a MachineRemediation has a finalizer until it has ended. Without Sickbay nobody takes it off, so
// a namespace with an open one, and the definition itself, cannot be deleted any more. To delete the records first does not
// help: Sickbay recreates those of sick machines, and during a pause they stay. The page must say what to do.
func TestRemovalNamesRecords(t *testing.T) {
	page, err := os.ReadFile("../docs/operations/upgrade.md")
	if err != nil {
		t.Fatal(err)
	}
	told := false
	for section := range strings.SplitSeq(string(page), "\n#") {
		title, text, _ := strings.Cut(section, "\n")
		title = strings.ToLower(title)
		if strings.Contains(title, "remove sickbay") || strings.Contains(title, "upgrade") || strings.Contains(title, "uninstall") {
			told = told || strings.Contains(strings.ToLower(text), "machineremediations")
		}
	}
	if !told {
		t.Error("no section about the removal of Sickbay, or about upgrades, names MachineRemediations")
	}
}
