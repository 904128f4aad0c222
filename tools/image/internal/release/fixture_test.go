package release_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

var (
	linux  = gobuild.Platform{OS: "linux", Arch: "amd64"}
	arm    = gobuild.Platform{OS: "linux", Arch: "arm64"}
	window = gobuild.Platform{OS: "windows", Arch: "amd64"}
)

// someSource returns a source that no repository has.
func someSource(version string) source.Source {
	return source.Source{Version: version, Revision: "0123456789abcdef0123456789abcdef01234567", Time: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)}
}

// tiny returns a program that stands in for the real one, in a directory of its own.
func tiny(t *testing.T, version string) gobuild.Program {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/tiny")); err != nil {
		t.Fatal(err)
	}
	return gobuild.Program{Dir: dir, Package: "./cmd/sickbay", Stamp: "main.version", Version: version}
}

// files returns the files below a directory, by name.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		found[name] = content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// sameFiles fails if two directories differ in a name or a byte.
func sameFiles(t *testing.T, first, second string) {
	t.Helper()
	a, b := files(t, first), files(t, second)
	for name, content := range a {
		if !bytes.Equal(content, b[name]) {
			t.Errorf("%s differs from one build to the next", name)
		}
	}
	if len(a) != len(b) || len(a) == 0 {
		t.Errorf("one build has %d files, the other %d", len(a), len(b))
	}
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
