// Package charts_test holds the tests of the chart that need no Helm: what it copies from others, and what is said of its values.
package charts_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the chart copies instead of comparing it")

// copied are the files that belong to others, by the directory of the chart that they are copied to. What is not there yet is left out.
var copied = map[string]string{
	"crds":      "../config/crd/sickbay.dev_*.yaml",
	"admission": "../config/admission/*.yaml",
}

// TestGeneratedFiles: the chart has what others own as it is, and nothing beside.
func TestGeneratedFiles(t *testing.T) {
	for dir, pattern := range copied {
		originals, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, original := range originals {
			if name := filepath.Base(original); name != "kustomization.yaml" {
				names = append(names, name)
				same(t, filepath.Join("sickbay/files", dir, name), content(t, dir, original))
			}
		}
		onlyThese(t, filepath.Join("sickbay/files", dir), names)
	}
}

// content is what the chart has of a file. The definitions of Sickbay's kinds stay when the release goes, as all records go with them.
func content(t *testing.T, dir, original string) string {
	t.Helper()
	data, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	if dir != "crds" {
		return string(data)
	}
	before, after, found := strings.Cut(string(data), "\n  annotations:\n")
	if !found {
		t.Fatalf("%s has no annotations: where is the one that keeps it to go?", original)
	}
	return before + "\n  annotations:\n    helm.sh/resource-policy: keep\n" + after
}

// same asserts that a file has a text, or with -update writes it.
func same(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make chart mends it", err)
	}
	if diff := cmp.Diff(text, string(got)); diff != "" {
		t.Errorf("%s is out of date; make chart mends it (-want +got):\n%s", path, diff)
	}
}

func onlyThese(t *testing.T, dir string, names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, entry := range entries {
		switch path := filepath.Join(dir, entry.Name()); {
		case slices.Contains(names, entry.Name()):
		case *update:
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s has no original; make chart removes it", path)
		}
	}
}
