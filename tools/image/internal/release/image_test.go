package release_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	spdx "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdxlib"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/release"
)

// TestImageIsTheSameWhereverItIsBuilt: the image, its bills of materials and its binaries are the same, byte for byte.
func TestImageIsTheSameWhereverItIsBuilt(t *testing.T) {
	src, platforms := someSource("v1.2.3"), []gobuild.Platform{linux, arm}
	first, second := t.TempDir(), t.TempDir()
	if err := release.Image(t.Context(), tiny(t, "v1.2.3"), src, platforms, first); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-ldflags=-w -tags=other")
	t.Setenv("GOAMD64", "v3")
	if err := release.Image(t.Context(), tiny(t, "v1.2.3"), src, platforms, second); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, first, second)

	// A second image in the same directory leaves nothing of the first one.
	other := someSource("v1.2.4")
	if err := release.Image(t.Context(), tiny(t, "v1.2.4"), other, []gobuild.Platform{linux}, second); err != nil {
		t.Fatal(err)
	}
	idx, err := layout.ImageIndexFromPath(release.LayoutDir(second))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := idx.IndexManifest()
	if err != nil || len(manifest.Manifests) != 2 {
		t.Fatalf("there are to be the index of one image and its bill of materials: %+v, %v", manifest, err)
	}
	if _, err := os.Stat(release.BinaryFile(second, arm)); err == nil {
		t.Error("the binary of the image before is still there")
	}
}

// TestImageIsPushedPulledAndRun uses a program that stands in for the real one.
func TestImageIsPushedPulledAndRun(t *testing.T) {
	dir := t.TempDir()
	if err := release.Image(t.Context(), tiny(t, "v1.2.3"), someSource("v1.2.3"), []gobuild.Platform{linux, arm}, dir); err != nil {
		t.Fatal(err)
	}
	tag := published(t, release.LayoutDir(dir), "v1.2.3")
	for _, platform := range []gobuild.Platform{linux, arm} {
		t.Run(platform.Arch, func(t *testing.T) {
			img, bill := pulled(t, tag, platform.Arch)
			root, config := checkImage(t, img, platform)
			checkBill(t, bill, filepath.Join(root, "sickbay"), "v1.2.3")
			if platform != linux {
				return
			}
			want := fmt.Sprintf("sickbay v1.2.3 as %d\n", userOfRun())
			if out := runIn(t, root, config); out != want {
				t.Errorf("the image printed %q, and is to print %q", out, want)
			}
		})
	}
}

// TestOnlyLinuxHasAnImage: other platforms are refused, and an image does not replace a directory that is not an image.
func TestOnlyLinuxHasAnImage(t *testing.T) {
	err := release.Image(t.Context(), tiny(t, "v1.2.3"), someSource("v1.2.3"), []gobuild.Platform{window}, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "only for linux, not for windows/amd64") {
		t.Errorf("an image for Windows is to be refused: %v", err)
	}
	dir := t.TempDir()
	mine := filepath.Join(release.LayoutDir(dir), "mine.txt")
	if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = release.Image(t.Context(), tiny(t, "v1.2.3"), someSource("v1.2.3"), []gobuild.Platform{linux}, dir)
	if err == nil || !strings.Contains(err.Error(), "holds something other than an image") {
		t.Errorf("a directory of somebody else is to stay: %v", err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

func userOfRun() int {
	if os.Geteuid() == 0 {
		return 65532
	}
	return os.Geteuid()
}

// checkImage checks everything about an image for a platform except its version, and returns its files and configuration.
func checkImage(t *testing.T, img v1.Image, platform gobuild.Platform) (string, v1.Config) {
	t.Helper()
	file, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config := file.Config
	if file.OS != platform.OS || file.Architecture != platform.Arch {
		t.Errorf("it is for %s/%s, and not for %s", file.OS, file.Architecture, platform)
	}
	if config.User != "65532:65532" || strings.Join(config.Entrypoint, " ") != "/sickbay" || len(config.Cmd) != 0 {
		t.Errorf("it runs %q %q as %q", config.Entrypoint, config.Cmd, config.User)
	}
	manifest, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"title", "description", "version", "revision", "source", "documentation", "licenses", "created"} {
		key := "org.opencontainers.image." + label
		if config.Labels[key] == "" || manifest.Annotations[key] != config.Labels[key] {
			t.Errorf("the label %s is %q, and the annotation %q", label, config.Labels[key], manifest.Annotations[key])
		}
	}
	if len(manifest.Layers) != 2 {
		t.Errorf("it has %d layers", len(manifest.Layers))
	}
	dir, headers := unpacked(t, img)
	for name, header := range headers {
		if header.Uid != 0 || header.Gid != 0 || header.Mode&0o7022 != 0 {
			t.Errorf("%s belongs to %d:%d with mode %o: its user is not to change it", name, header.Uid, header.Gid, header.Mode)
		}
	}
	checkBinary(t, filepath.Join(dir, "sickbay"), platform)
	for file, says := range map[string]string{"LICENSE": "Apache License", "THIRD_PARTY_NOTICES.txt": "the Go standard library and runtime (LICENSE): BSD-3-Clause"} {
		if text, err := os.ReadFile(filepath.Join(dir, "licenses", file)); err != nil || !strings.Contains(string(text), says) {
			t.Errorf("/licenses/%s does not say %q: %v", file, says, err)
		}
	}
	roots, err := os.ReadFile(filepath.Join(dir, "etc/ssl/certs/ca-certificates.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(roots) || strings.Count(string(roots), "BEGIN CERTIFICATE") < 50 {
		t.Error("there are no certificate authorities, or few")
	}
	return dir, config
}

// checkBinary checks that a binary is static, stripped, and for the right processor.
func checkBinary(t *testing.T, path string, platform gobuild.Platform) {
	t.Helper()
	binary, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = binary.Close() }()
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[platform.Arch]
	if binary.Machine != machine {
		t.Errorf("the binary for %s is for %s", platform, binary.Machine)
	}
	for _, program := range binary.Progs {
		if program.Type == elf.PT_INTERP {
			t.Error("the binary is not static")
		}
	}
	for _, section := range []string{".symtab", ".debug_info", ".zdebug_info"} {
		if binary.Section(section) != nil {
			t.Errorf("the binary has the section %s: it is not stripped", section)
		}
	}
}

// checkBill checks a bill of materials, and returns the names and versions in it.
func checkBill(t *testing.T, bill []byte, binary, version string) map[string]string {
	t.Helper()
	var d struct {
		Version  string `json:"spdxVersion"`
		License  string `json:"dataLicense"`
		ID       string `json:"SPDXID"`
		Creation struct {
			Created string   `json:"created"`
			By      []string `json:"creators"`
		} `json:"creationInfo"`
		Packages []struct {
			ID        string `json:"SPDXID"`
			Name      string `json:"name"`
			Version   string `json:"versionInfo"`
			Download  string `json:"downloadLocation"`
			Declared  string `json:"licenseDeclared"`
			Checksums []struct {
				Value string `json:"checksumValue"`
			} `json:"checksums"`
			Refs []struct {
				Locator string `json:"referenceLocator"`
			} `json:"externalRefs"`
		} `json:"packages"`
		Relationships []struct{ SpdxElementID, RelationshipType, RelatedSpdxElement string } `json:"relationships"`
	}
	if err := json.Unmarshal(bill, &d); err != nil {
		t.Fatal(err)
	}
	// Other readers of bills of materials accept it, too.
	read, err := spdx.Read(bytes.NewReader(bill))
	if err != nil {
		t.Fatal(err)
	}
	if err := spdxlib.ValidateDocument(read); err != nil {
		t.Error(err)
	}
	if d.Version != "SPDX-2.3" || d.License != "CC0-1.0" || d.ID != "SPDXRef-DOCUMENT" || d.Creation.Created == "" || len(d.Creation.By) == 0 {
		t.Errorf("the bill of materials does not say what it is: %+v", d)
	}
	ids, versions := map[string]bool{d.ID: true}, map[string]string{}
	for _, p := range d.Packages {
		if ids[p.ID] || p.Version == "" || p.Download == "" || p.Declared == "NOASSERTION" || len(p.Refs) != 1 || !strings.HasPrefix(p.Refs[0].Locator, "pkg:golang/"+p.Name+"@") {
			t.Errorf("the package %+v is there twice, or not whole", p)
		}
		ids[p.ID], versions[p.Name] = true, p.Version
	}
	for _, r := range d.Relationships {
		if !ids[r.SpdxElementID] || !ids[r.RelatedSpdxElement] {
			t.Errorf("the relationship %+v leads nowhere", r)
		}
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	if len(d.Packages) == 0 || len(d.Packages[0].Checksums) != 1 || d.Packages[0].Checksums[0].Value != hex.EncodeToString(sum[:]) {
		t.Error("the checksum in the bill of materials is not that of the binary")
	}
	if versions["github.com/sickbay-dev/sickbay"] != version || !strings.HasPrefix(versions["stdlib"], "1.") {
		t.Errorf("the bill of materials is about %v", versions)
	}
	return versions
}
