package release_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/release"
	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

var realImage = flag.String("image", "", "what make image has made, to try that too")

// Limits for the size of the binary and of what is pulled. docs/decisions/0023 says what is in them, and why a limit was raised.
const (
	largestBinary = 66_000_000
	largestPull   = 22_000_000
)

// realImageDir returns the directory in which make image built the image. It skips the test if there is none.
func realImageDir(t *testing.T) string {
	t.Helper()
	if *realImage == "" {
		t.Skip("make test-image tries the real image")
	}
	return *realImage
}

// TestRealImage pushes and pulls Sickbay's image, and runs it.
func TestRealImage(t *testing.T) {
	dir := realImageDir(t)
	tag := published(t, release.LayoutDir(dir), sourceOf(t, release.LayoutDir(dir)).Version)
	for _, platform := range platformsOf(t, dir) {
		t.Run(platform.Arch, func(t *testing.T) {
			img, bill := pulled(t, tag, platform.Arch)
			root, config := checkImage(t, img, platform)
			binary := filepath.Join(root, "sickbay")
			versions := checkBill(t, bill, binary, tag.TagStr())
			for _, module := range []string{"sigs.k8s.io/cluster-api", "k8s.io/client-go", "github.com/google/cel-go"} {
				if !strings.HasPrefix(versions[module], "v") {
					t.Errorf("%s is not in the bill of materials", module)
				}
			}
			checkSize(t, binary, largestBinary)
			manifest, err := img.Manifest()
			if err != nil {
				t.Fatal(err)
			}
			if pull := manifest.Layers[1].Size; pull > largestPull {
				t.Errorf("the layer with the binary is %d bytes, and the limit is %d", pull, largestPull)
			}
			if platform.Arch != runtime.GOARCH {
				return
			}
			if out := runIn(t, root, config, "version"); !strings.HasPrefix(out, "sickbay "+tag.TagStr()+" linux/"+platform.Arch+" go1.") {
				t.Errorf("its version is %q", out)
			}
			if out := runIn(t, root, config, "manager", "--help"); !strings.Contains(out, "--leader-elect") {
				t.Errorf("the manager's help is %q", out)
			}
		})
	}
}

func checkSize(t *testing.T, binary string, limit int64) {
	t.Helper()
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s is %d bytes", binary, info.Size())
	if info.Size() > limit {
		t.Errorf("the binary is %d bytes, and the limit is %d; make weigh lists the largest modules", info.Size(), limit)
	}
}

// TestRealImageIsTheSameElsewhere builds the image again from a copy of the files in another directory.
func TestRealImageIsTheSameElsewhere(t *testing.T) {
	dir := realImageDir(t)
	copied, again := copyOfRepository(t), t.TempDir()
	src := sourceOf(t, release.LayoutDir(dir))
	platforms := platformsOf(t, dir)
	if err := release.Image(t.Context(), release.Sickbay(copied, src), src, platforms, again); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, dir, again)
}

// platformsOf returns the platforms of an image, from the binaries beside it.
func platformsOf(t *testing.T, dir string) []gobuild.Platform {
	t.Helper()
	var platforms []gobuild.Platform
	for _, platform := range []gobuild.Platform{linux, arm} {
		if _, err := os.Stat(release.BinaryFile(dir, platform)); err == nil {
			platforms = append(platforms, platform)
		}
	}
	if len(platforms) == 0 {
		t.Fatalf("there is no image in %s", dir)
	}
	return platforms
}

// sourceOf returns the source that a layout names.
func sourceOf(t *testing.T, dir string) source.Source {
	t.Helper()
	idx, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	image, err := idx.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	described, err := image.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	const prefix = "org.opencontainers.image."
	at, err := time.Parse(time.RFC3339, described.Annotations[prefix+"created"])
	if err != nil {
		t.Fatal(err)
	}
	revision := described.Annotations[prefix+"revision"]
	if !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(revision) {
		t.Errorf("the revision is %q", revision)
	}
	return source.Source{Version: described.Annotations[prefix+"version"], Revision: revision, Time: at}
}

// copyOfRepository copies the files that git tracks, and untracked ones that it does not ignore.
func copyOfRepository(t *testing.T) string {
	t.Helper()
	root, copied := "../../../..", t.TempDir()
	for name := range strings.SplitSeq(run(t, root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || name == "" {
			continue // it was deleted, or is a link to a directory
		}
		path := filepath.Join(copied, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}
