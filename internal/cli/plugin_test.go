package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestPlugin: if kubectl called the binary, help shows the command as kubectl's.
func TestPlugin(t *testing.T) {
	for name, calledAs := range map[string]string{"sickbay": "/usr/bin/sickbay", "kubectl-sickbay": "/usr/bin/kubectl-sickbay"} {
		for _, command := range []string{"approve", "deny", "retry", "cancel", "hold", "release", "reboot"} {
			t.Run(name+"-"+command, func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				if code := execute(t.Context(), newRoot(calledAs), []string{command, "--help"}, &stdout, &stderr); code != exitOK || stderr.Len() > 0 {
					t.Errorf("exit code is %d: %s", code, &stderr)
				}
				help, prefix := stdout.String(), "  "+strings.Replace(name, "-", " ", 1)+" "+command+" "
				if !strings.Contains(help, "Usage:\n"+prefix) || !strings.Contains(help, "Examples:\n"+prefix) {
					t.Errorf("it is not called %q in:\n%s", prefix, help)
				}
				if name == "sickbay" {
					docs.Golden(t, "help-"+command, help)
				}
			})
		}
	}
}
