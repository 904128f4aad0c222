package release_test

import (
	"archive/tar"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/sickbay-dev/sickbay/tools/image/internal/oci"
)

// published pushes a layout to a registry, and returns the image's address there.
func published(t *testing.T, dir, version string) name.Tag {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.WithReferrersSupport(true), registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	digest, err := oci.Push(t.Context(), dir, strings.TrimPrefix(server.URL, "http://")+"/sickbay-dev/sickbay")
	if err != nil {
		t.Fatal(err)
	}
	tag := digest.Context().Tag(version)
	if found, err := remote.Head(tag); err != nil || found.Digest.String() != digest.DigestStr() {
		t.Fatalf("%s is not %s: %+v, %v", tag, digest, found, err)
	}
	return tag
}

// pulled returns the image for a platform, and the bill of materials that the registry has for it.
func pulled(t *testing.T, tag name.Tag, arch string) (v1.Image, []byte) {
	t.Helper()
	img, err := remote.Image(tag, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: arch}))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(img); err != nil {
		t.Errorf("the image is not valid: %v", err)
	}
	digest, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	referrers, err := remote.Referrers(tag.Digest(digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	found, err := referrers.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Manifests) != 1 {
		t.Fatalf("the registry is to know one bill of materials for %s, and knows %+v", arch, found.Manifests)
	}
	artifact, err := remote.Image(tag.Digest(found.Manifests[0].Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	// This registry reports the type of the configuration instead, so the test reads the manifest.
	if manifest, err := artifact.Manifest(); err != nil || manifest.ArtifactType != "application/spdx+json" {
		t.Errorf("what refers to the image is no bill of materials: %+v, %v", manifest, err)
	}
	layers, err := artifact.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("the bill of materials is to be one blob: %d, %v", len(layers), err)
	}
	blob, err := layers[0].Compressed()
	if err != nil {
		t.Fatal(err)
	}
	bill, err := io.ReadAll(blob)
	if err != nil {
		t.Fatal(err)
	}
	return img, bill
}

// unpacked writes the files of an image below a directory, and returns who owns each.
func unpacked(t *testing.T, img v1.Image) (string, map[string]*tar.Header) {
	t.Helper()
	dir, headers := t.TempDir(), map[string]*tar.Header{}
	stream := mutate.Extract(img)
	defer func() { _ = stream.Close() }()
	archive := tar.NewReader(stream)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return dir, headers
		}
		if err != nil {
			t.Fatal(err)
		}
		headers[header.Name] = header
		path := filepath.Join(dir, header.Name)
		if header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = writeFrom(path, archive, os.FileMode(header.Mode))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func writeFrom(path string, from io.Reader, mode os.FileMode) error {
	content, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, mode)
}

// runIn runs the image's entrypoint as the image's user. As root, it hides everything else on this machine.
func runIn(t *testing.T, dir string, config v1.Config, args ...string) string {
	t.Helper()
	entry := append(append([]string{}, config.Entrypoint...), args...)
	cmd := exec.CommandContext(t.Context(), entry[0], entry[1:]...)
	cmd.Env, cmd.Dir = []string{}, config.WorkingDir
	if os.Geteuid() == 0 {
		// Other users must be able to reach the directory; its parents belong to the test, too.
		for _, path := range []string{dir, filepath.Dir(dir)} {
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	} else {
		t.Log("This is not run by root: the binary sees the files of this machine.")
		cmd.Path, cmd.Dir = filepath.Join(dir, entry[0]), dir
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", entry, err, out)
	}
	return string(out)
}
