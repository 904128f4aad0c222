// Package supplychain tries make vulnerabilities on two small modules, with a database of one made-up vulnerability.
package supplychain

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVulnerableCodeIsFound: a vulnerability that shipped code calls is an error, and an unreachable database never passes silently.
func TestVulnerableCodeIsFound(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	defer closed.Close()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const made, sick, well = "-db=file://ROOT/tools/supplychain/testdata/db", "tools/supplychain/testdata/sick", "tools/supplychain/testdata/well"
	for _, tt := range []struct {
		name, flags, ships, says string
		fails                    bool
	}{
		{"called", made, well + " " + sick, "Vulnerable code is called in: " + sick + "\n", true},
		{"not called", made, well, "affected by 0 vulnerabilities", false},
		{"no database", "-db=file:///does/not/exist", sick, "NOTHING WAS CHECKED", false},
		{"no answer", "-db=" + closed.URL, sick, "NOTHING WAS CHECKED", false},
		{"required database", "-require -db=" + closed.URL, sick, "NOTHING WAS CHECKED", true},
		{"no such module", made, "gone", "gone", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "tools/make/vulnerabilities")
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "SHIPPED="+tt.ships, "VULNERABILITIES="+strings.Replace(tt.flags, "ROOT", root, 1))
			out, err := cmd.CombinedOutput()
			if (err != nil) != tt.fails || !strings.Contains(string(out), tt.says) {
				t.Errorf("it ends with %v, want an error: %t; it says, and does not say %q:\n%s", err, tt.fails, tt.says, out)
			}
		})
	}
}
