package chart_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestManifests: the one-file manifests equal what the chart renders from their values, and the API server
// accepts them.
func TestManifests(t *testing.T) {
	needHelm(t)
	prepare(t)
	files, err := filepath.Glob(root + "/charts/install/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, values := range files {
		rendered := helm(t, "template", "sickbay", chartDir, "--namespace", systemNamespace, "--kube-version", "v1.36.3", "--values", values)
		written, err := os.ReadFile(root + "/config/install/" + filepath.Base(values))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimSpace(rendered), strings.TrimSpace(string(written))); diff != "" {
			t.Errorf("%s is out of date; make chart mends it (-chart +file):\n%s", filepath.Base(values), diff)
		}
		admitted(t, parse(t, rendered))
	}
}
