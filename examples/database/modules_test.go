package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestModules limits the modules that this program needs. Controller-runtime alone has 148.
func TestModules(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Path}}", "all").Output()
	if err != nil {
		t.Fatalf("listing the modules: %v", err)
	}
	all := strings.Fields(string(out))
	if len(all) < 100 || len(all) > 150 {
		t.Errorf("there are %d modules:\n%s", len(all), out)
	}
	for _, path := range all {
		for _, unwanted := range []string{"openshift", "metal3-io", "cluster-api", "gardener"} {
			if strings.Contains(path, unwanted) {
				t.Errorf("%s is among the modules", path)
			}
		}
	}
}
