package release_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/release"
	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

const changelog = "# Changelog\n\n## Unreleased\n\n- something new\n\n## v1.2.3 (2026-11-22)\n\n### Commands\n\n- status\n\n## v1.2.0\n\n- the first\n"

func TestNotes(t *testing.T) {
	for _, c := range []struct{ name, changelog, version, want, refused string }{
		{"its section", changelog, "v1.2.3", "# Sickbay v1.2.3\n\n### Commands\n\n- status\n", ""},
		{"the last section", changelog, "v1.2.0", "# Sickbay v1.2.0\n\n- the first\n", ""},
		{"one to try out", changelog, "v1.3.0-rc.1", "# Sickbay v1.3.0-rc.1\n\n- something new\n", ""},
		{"a release without a section", changelog, "v1.3.0", "", `has no section "## v1.3.0": rename "## Unreleased"`},
		{"a shorter version", changelog, "v1.2", "", "is not a version"},
		{"no v", changelog, "1.2.3", "", "is not a version"},
		{"none", changelog, "", "", "is not a version"},
		{"links", "## v1.0.0\n- [a](docs/a.md) [b](docs/a.md#b) [c](https://example.com/x.md) [d](#e)\n", "v1.0.0", "# Sickbay v1.0.0\n\n" +
			"- [a](https://github.com/sickbay-dev/sickbay/blob/v1.0.0/docs/a.md) [b](https://github.com/sickbay-dev/sickbay/blob/v1.0.0/docs/a.md#b) [c](https://example.com/x.md) [d](#e)\n", ""},
		{"an empty section", "## v1.2.3\n\n## v1.2.2\n- x\n", "v1.2.3", "", "is empty"},
		{"no changelog", "", "v1.2.3-rc.1", "", "has no section"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := release.Notes(c.changelog, c.version)
			if (err == nil) != (c.refused == "") || (err != nil && !strings.Contains(err.Error(), c.refused)) {
				t.Fatalf("the error is %v", err)
			}
			if got != c.want {
				t.Errorf("the notes are %q", got)
			}
		})
	}
}

// repository returns a repository with a program, a changelog, a chart and manifests, all committed.
func repository(t *testing.T) string {
	t.Helper()
	program := tiny(t, "")
	for name, content := range map[string]string{
		"CHANGELOG.md":                     changelog,
		"LICENSE":                          "Apache License\n",
		"charts/sickbay/Chart.yaml":        "apiVersion: v2\nname: sickbay\nversion: 0.0.0\nappVersion: \"dev\"\n",
		"charts/sickbay/templates/a.yaml":  "image: ghcr.io/sickbay-dev/sickbay:{{ .Chart.AppVersion }}\n",
		"config/install/sickbay.yaml":      "  app.kubernetes.io/version: dev\n  helm.sh/chart: sickbay-0.0.0\n  image: ghcr.io/sickbay-dev/sickbay:dev\n",
		"config/install/sickbay-crds.yaml": "kind: CustomResourceDefinition\n",
	} {
		path := filepath.Join(program.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, program.Dir, "git", "init", "-q")
	commit(t, program.Dir)
	return program.Dir
}

func commit(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, "git", "add", ".")
	run(t, dir, "git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "-q", "--no-gpg-sign", "-m", "All of it")
}

func options(t *testing.T, root, out, version string) release.Options {
	t.Helper()
	src, err := source.Of(t.Context(), root, version)
	if err != nil {
		t.Fatal(err)
	}
	return release.Options{
		Root: root, Out: out, Work: t.TempDir(), Source: src,
		Program: gobuild.Program{Dir: root, Package: "./cmd/sickbay", Stamp: "main.version", Version: version},
		Image:   []gobuild.Platform{linux}, Plugin: []gobuild.Platform{linux, window},
	}
}

// TestReleaseIsMadeOfACommitAlone: from a clone elsewhere, the release is the same, byte for byte.
func TestReleaseIsMadeOfACommitAlone(t *testing.T) {
	root, clone := repository(t), t.TempDir()
	run(t, clone, "git", "clone", "-q", root, ".")
	first, second := filepath.Join(t.TempDir(), "dist"), filepath.Join(t.TempDir(), "dist")
	for out, from := range map[string]string{first: root, second: clone} {
		if err := release.Make(t.Context(), options(t, from, out, "v1.2.3")); err != nil {
			t.Fatal(err)
		}
	}
	sameFiles(t, first, second)

	// Again into the same directory, with another version: nothing of the first release stays.
	if err := release.Make(t.Context(), options(t, root, first, "v1.3.0-rc.1")); err != nil {
		t.Fatal(err)
	}
	for name := range files(t, first) {
		if strings.Contains(name, "1.2.3") {
			t.Errorf("%s is of the release before", name)
		}
	}
}

// TestReleaseHasAllThatIsPublished: all files are there, with the right contents.
func TestReleaseHasAllThatIsPublished(t *testing.T) {
	root, out := repository(t), filepath.Join(t.TempDir(), "dist")
	if err := release.Make(t.Context(), options(t, root, out, "v1.2.3")); err != nil {
		t.Fatal(err)
	}
	found := files(t, out)
	var names []string
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{
		"RELEASE_NOTES.md", "SHA256SUMS", "krew-sickbay.yaml", "kubectl-sickbay-v1.2.3-linux-amd64.tar.gz", "kubectl-sickbay-v1.2.3-windows-amd64.zip",
		"sickbay-1.2.3.tgz", "sickbay-crds.yaml", "sickbay-v1.2.3-image.tar", "sickbay-v1.2.3-linux-amd64.spdx.json", "sickbay.yaml",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the release has %v, and is to have %v", names, want)
	}
	for _, name := range names {
		sum := sha256.Sum256(found[name])
		if line := hex.EncodeToString(sum[:]) + "  " + name + "\n"; name != "SHA256SUMS" && !bytes.Contains(found["SHA256SUMS"], []byte(line)) {
			t.Errorf("SHA256SUMS does not have %s", line)
		}
	}
	if manifest := string(found["sickbay.yaml"]); manifest != "  app.kubernetes.io/version: v1.2.3\n  helm.sh/chart: sickbay-1.2.3\n  image: ghcr.io/sickbay-dev/sickbay:v1.2.3\n" {
		t.Errorf("the manifest is %q", manifest)
	}
	chart := entriesOf(t, gunzip(t, found["sickbay-1.2.3.tgz"]))
	if got := string(chart["sickbay/Chart.yaml"]); got != "apiVersion: v2\nname: sickbay\nversion: 1.2.3\nappVersion: v1.2.3\n" {
		t.Errorf("the chart is %q", got)
	}
	image := entriesOf(t, found["sickbay-v1.2.3-image.tar"])
	if image["oci-layout"] == nil || image["index.json"] == nil {
		t.Error("the archive of the image is no layout")
	}
	checkKrew(t, found["krew-sickbay.yaml"], found)
}

func TestReleaseIsRefused(t *testing.T) {
	root := repository(t)
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(out, version, why string) {
		t.Helper()
		if err := release.Make(t.Context(), options(t, root, out, version)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q is to be refused as %q: %v", version, why, err)
		}
	}
	out := filepath.Join(t.TempDir(), "dist")
	refused(out, "v1.4.0", "has no section")
	refused(root, "v1.2.3", "holds something other than a release")
	write("new.go", "package new\n")
	refused(out, "v1.2.3", "uncommitted changes")
	if err := os.Remove(filepath.Join(root, "new.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Error("what is refused is to leave nothing")
	}

	write("config/install/sickbay.yaml", "image: ghcr.io/sickbay-dev/sickbay\n")
	commit(t, root)
	refused(out, "v1.2.3", "without a tag")
	write("config/install/sickbay.yaml", "image: ghcr.io/sickbay-dev/sickbay:dev\n")
	write("charts/sickbay/Chart.yaml", "name: sickbay\n")
	commit(t, root)
	refused(out, "v1.2.3", "no appVersion")
}

func gunzip(t *testing.T, content []byte) []byte {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// entriesOf returns the files in a tar archive.
func entriesOf(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	entries, archive := map[string][]byte{}, tar.NewReader(bytes.NewReader(content))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		if entries[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

// zipEntriesOf returns the files in a zip archive.
func zipEntriesOf(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string][]byte{}
	for _, file := range archive.File {
		reader, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		if entries[file.Name], err = io.ReadAll(reader); err != nil {
			t.Fatal(err)
		}
	}
	return entries
}
