// Package image tries what make image has made.
package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var made = flag.String("image", "", "what make image has made")

// Limits for the size of the binary and of what is pulled. docs/decisions/0023 says what is in them, and why a limit was raised.
const (
	largestBinary = 67_000_000
	largestPull   = 22_000_000
)

// imageDir returns the directory in which make image built the image. It skips the test if there is none.
func imageDir(t *testing.T) string {
	t.Helper()
	if *made == "" {
		t.Skip("make test-image tries the image")
	}
	return *made
}

// TestSmallAndTheSameElsewhere builds the image again from a copy of the files in another directory: it is the same, byte for byte, and no larger
// than the limits.
func TestSmallAndTheSameElsewhere(t *testing.T) {
	dir, again := imageDir(t), t.TempDir()
	run(t, copyOfRepository(t), "tools/make/image", "BIN="+again, "PLATFORMS="+strings.Join(platforms(t, dir), ","),
		"GIT_DIR="+strings.TrimSpace(run(t, "../..", "git rev-parse --absolute-git-dir")), "GOFLAGS=-tags=other")
	run(t, ".", "diff -r "+dir+" "+filepath.Join(again, "image"))
	for _, platform := range platforms(t, dir) {
		info, err := os.Stat(filepath.Join(dir, "sickbay-"+strings.ReplaceAll(platform, "/", "-")))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > largestBinary {
			t.Errorf("the binary for %s is %d bytes, and the limit is %d; make weigh lists the largest modules", platform, info.Size(), largestBinary)
		}
	}
}

// TestPushedPulledAndRun pushes the image to a registry, pulls it and runs it.
func TestPushedPulledAndRun(t *testing.T) {
	dir := imageDir(t)
	host := newRegistry(t)
	repository, login := "REPOSITORY="+host+"/sickbay-dev/sickbay", "DOCKER_CONFIG="+t.TempDir()
	run(t, "../..", "tools/make/login-registry --plain-http", repository, login, "USERNAME=me", "GH_TOKEN=secret")
	run(t, "../..", "tools/make/push-image", "BIN="+filepath.Dir(dir), repository, login)
	tag, err := name.NewTag(host + "/sickbay-dev/sickbay:" + os.Getenv("VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	for _, platform := range platforms(t, dir) {
		t.Run(platform, func(t *testing.T) {
			system, arch, _ := strings.Cut(platform, "/")
			img, err := remote.Image(tag, remote.WithPlatform(v1.Platform{OS: system, Architecture: arch}), auth)
			if err != nil {
				t.Fatal(err)
			}
			if err := validate.Image(img); err != nil {
				t.Errorf("the image is not valid: %v", err)
			}
			config := checkManifest(t, img)
			root := unpacked(t, img)
			checkFiles(t, root)
			checkBill(t, bill(t, tag, img), filepath.Join(root, "sickbay"), tag.TagStr())
			if arch != runtime.GOARCH {
				return
			}
			if out := runIn(t, root, config, "version"); !strings.HasPrefix(out, "sickbay "+tag.TagStr()+" "+platform+" go1.") {
				t.Errorf("its version is %q", out)
			}
			if out := runIn(t, root, config, "manager", "--help"); !strings.Contains(out, "--leader-elect") {
				t.Errorf("the manager's help is %q", out)
			}
		})
	}
}

// auth is the login at the registry.
var auth = remote.WithAuth(&authn.Basic{Username: "me", Password: "secret"})

// newRegistry serves a registry that asks for a password, and returns its address.
func newRegistry(t *testing.T) string {
	t.Helper()
	images := registry.New(registry.WithReferrersSupport(true), registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		images.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	// By this name, oras speaks HTTP to it.
	return strings.Replace(server.URL, "http://127.0.0.1", "localhost", 1)
}

// checkManifest checks what the image says about itself.
func checkManifest(t *testing.T, img v1.Image) v1.Config {
	t.Helper()
	file, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	config := file.Config
	if config.User != "65532:65532" || !slices.Equal(config.Entrypoint, []string{"/sickbay"}) || len(config.Cmd) != 0 {
		t.Errorf("it runs %q %q as %q", config.Entrypoint, config.Cmd, config.User)
	}
	for _, label := range []string{"title", "description", "version", "revision", "source", "documentation", "licenses", "created"} {
		key := "org.opencontainers.image." + label
		if config.Labels[key] == "" || manifest.Annotations[key] != config.Labels[key] {
			t.Errorf("the label %s is %q, and the annotation %q", label, config.Labels[key], manifest.Annotations[key])
		}
	}
	if len(manifest.Layers) != 2 || manifest.Layers[1].Size > largestPull {
		t.Errorf("the layers are %+v, and the limit for the second is %d", manifest.Layers, largestPull)
	}
	return config
}

// checkFiles checks the files beside the binary.
func checkFiles(t *testing.T, root string) {
	t.Helper()
	for file, says := range map[string]string{"LICENSE": "Apache License", "THIRD_PARTY_NOTICES.txt": "the Go standard library and runtime/LICENSE"} {
		if text, err := os.ReadFile(filepath.Join(root, "licenses", file)); err != nil || !strings.Contains(string(text), says) {
			t.Errorf("/licenses/%s does not say %q: %v", file, says, err)
		}
	}
	roots, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	if err != nil {
		t.Fatal(err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(roots) || strings.Count(string(roots), "BEGIN CERTIFICATE") < 50 {
		t.Error("there are no certificate authorities, or few")
	}
}

// bill returns the bill of materials that the registry has for an image.
func bill(t *testing.T, tag name.Tag, img v1.Image) []byte {
	t.Helper()
	digest, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	referrers, err := remote.Referrers(tag.Digest(digest.String()), auth)
	if err != nil {
		t.Fatal(err)
	}
	found, err := referrers.IndexManifest()
	if err != nil || len(found.Manifests) != 1 {
		t.Fatalf("the registry is to know one bill of materials, and knows %+v: %v", found, err)
	}
	artifact, err := remote.Image(tag.Digest(found.Manifests[0].Digest.String()), auth)
	if err != nil {
		t.Fatal(err)
	}
	// This registry reports the type of the configuration instead, so the test reads the manifest.
	if manifest, err := artifact.Manifest(); err != nil || manifest.ArtifactType != "application/vnd.cyclonedx+json" {
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
	content, err := io.ReadAll(blob)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// checkBill checks that a bill of materials is about the binary, and that each module has a version.
func checkBill(t *testing.T, bill []byte, binary, version string) {
	t.Helper()
	type component struct{ Name, Version string }
	var d struct {
		Metadata struct {
			Component  component
			Properties []struct{ Name, Value string }
		}
		Components []component
	}
	if err := json.Unmarshal(bill, &d); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{d.Metadata.Component.Name: d.Metadata.Component.Version}
	for _, c := range d.Components {
		versions[c.Name] = c.Version
		if strings.HasPrefix(c.Name, ".") || c.Version == "" || c.Version == "(devel)" {
			t.Errorf("the component %+v is not one that others can look up", c)
		}
	}
	const own = "github.com/sickbay-dev/sickbay"
	for _, module := range []string{"sigs.k8s.io/cluster-api", "k8s.io/client-go", "std"} {
		if versions[own] != version || versions[own+"/healthcheck"] != version || versions[module] == "" {
			t.Errorf("the bill of materials is about %v", versions)
		}
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	sum, found := sha256.Sum256(content), ""
	for _, p := range d.Metadata.Properties {
		if p.Name == "cdx:gomod:binary:hash:SHA-256" {
			found = p.Value
		}
	}
	if found != hex.EncodeToString(sum[:]) {
		t.Errorf("the checksum in the bill of materials, %q, is not that of the binary", found)
	}
}

// unpacked writes the files of an image below a directory. Its user must not be able to change them.
func unpacked(t *testing.T, img v1.Image) string {
	t.Helper()
	dir, stream := t.TempDir(), mutate.Extract(img)
	defer func() { _ = stream.Close() }()
	for archive := tar.NewReader(stream); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Uid != 0 || header.Gid != 0 || header.Mode&0o7022 != 0 {
			t.Errorf("%s belongs to %d:%d with mode %o", header.Name, header.Uid, header.Gid, header.Mode)
		}
		path := filepath.Join(dir, header.Name)
		if header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else {
			content := new(bytes.Buffer)
			_, err = content.ReadFrom(archive)
			err = errors.Join(err, os.WriteFile(path, content.Bytes(), os.FileMode(header.Mode)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// runIn runs the image's entrypoint as the image's user. As root, it hides everything else on this machine.
func runIn(t *testing.T, dir string, config v1.Config, args ...string) string {
	t.Helper()
	entry := append(slices.Clone(config.Entrypoint), args...)
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

// run runs a command in a directory, with more variables.
func run(t *testing.T, dir, command string, env ...string) string {
	t.Helper()
	words := strings.Fields(command)
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// platforms returns the platforms of an image, from the bills of materials beside it.
func platforms(t *testing.T, dir string) (all []string) {
	t.Helper()
	bills, err := filepath.Glob(filepath.Join(dir, "sickbay-*.cdx.json"))
	if err != nil || len(bills) == 0 {
		t.Fatalf("there is no image in %s: %v", dir, err)
	}
	for _, file := range bills {
		platform := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "sickbay-"), ".cdx.json")
		all = append(all, strings.Replace(platform, "-", "/", 1))
	}
	return all
}

// copyOfRepository copies the files that git tracks, and untracked ones that it does not ignore.
func copyOfRepository(t *testing.T) string {
	t.Helper()
	root, copied := "../..", t.TempDir()
	for name := range strings.SplitSeq(run(t, root, "git ls-files -z --cached --others --exclude-standard"), "\x00") {
		from := filepath.Join(root, name)
		info, err := os.Stat(from)
		if err != nil || info.IsDir() {
			continue // it was deleted, or is a link to a directory
		}
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(copied, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, info.Mode())); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}
