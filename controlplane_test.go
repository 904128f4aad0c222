package sickbay_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	fittingAPIServer = "echo Kubernetes v1.36.0"
	fittingKubectl   = "echo Client Version: v1.36.1; echo Kustomize Version: v5.8.1"
	fittingEtcd      = "echo etcd Version: 3.6.4; echo Go Version: go1.24.6"
)

// controlplane is a clone in which nothing was built, with a fake go that builds programs which cannot be run.
type controlplane struct {
	assets string // where the programs are to be
	env    []string
}

// newControlplane has a setup-envtest that reads its index from an address where nothing listens, unless the test gives another one.
func newControlplane(t *testing.T) *controlplane {
	t.Helper()
	bin := t.TempDir()
	c := &controlplane{assets: filepath.Join(bin, "controlplane"), env: []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "XDG_DATA_HOME=" + t.TempDir(), "ENVTEST_INDEX=http://127.0.0.1:1/index.yaml",
	}}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "MAKE") && !strings.HasPrefix(variable, "MFLAGS") && !strings.HasPrefix(variable, "KUBEBUILDER_ASSETS=") && !strings.HasPrefix(variable, "PATH=") {
			c.env = append(c.env, variable)
		}
	}
	program(t, bin, "go", `[ "$1" = build ] || exit 1; echo "It is built."; for name in "$@"; do case $name in ./cmd/*) echo built >"$ASSETS/${name##*/}"; chmod +x "$ASSETS/${name##*/}";; esac; done`)
	return c
}

// program writes a program of one line, if there is one.
func program(t *testing.T, dir, name, line string) {
	t.Helper()
	if line == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/bash\n"+line+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// make runs make controlplane, and returns the output.
func (c *controlplane) make(t *testing.T, variables ...string) string {
	t.Helper()
	cmd := exec.Command("make", append([]string{"--no-print-directory", "controlplane", "BIN=" + filepath.Dir(c.assets)}, variables...)...)
	cmd.Env = c.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// given writes programs that only print their versions, as a person has them; those without a version are missing.
func (c *controlplane) given(t *testing.T, apiserver, kubectl, etcd string) string {
	t.Helper()
	dir := t.TempDir()
	for name, answer := range map[string]string{"kube-apiserver": apiserver, "kubectl": kubectl, "etcd": etcd} {
		program(t, dir, name, answer)
	}
	c.env = append(c.env, "KUBEBUILDER_ASSETS="+dir)
	return dir
}

func (c *controlplane) wantLinks(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"kube-apiserver", "kubectl", "etcd"} {
		if target, err := os.Readlink(filepath.Join(c.assets, name)); err != nil || target != filepath.Join(dir, name) {
			t.Errorf("%s leads to %q, want one in %s: %v", name, target, dir, err)
		}
	}
}

// TestControlplaneTakesWhatIsThere: prebuilt programs with the right versions are linked, and nothing is built, also the next time, when
// KUBEBUILDER_ASSETS is not set any more.
func TestControlplaneTakesWhatIsThere(t *testing.T) {
	c := newControlplane(t)
	without := c.env
	assets := c.given(t, fittingAPIServer, fittingKubectl, fittingEtcd)
	for range 2 {
		if out := c.make(t); out != "The tests use kube-apiserver, etcd and kubectl from "+assets+".\n" {
			t.Errorf("it prints:\n%s", out)
		}
		c.wantLinks(t, assets)
		c.env = without
	}
}

// TestControlplaneRefusesWhatDoesNotFit: it says why, and builds.
func TestControlplaneRefusesWhatDoesNotFit(t *testing.T) {
	for _, tt := range []struct{ name, apiserver, kubectl, etcd, why string }{
		{"an older API server", "echo Kubernetes v1.35.3", fittingKubectl, fittingEtcd, "its kube-apiserver is 1.35.3, and the tests need 1.36."},
		{"a newer kubectl", fittingAPIServer, "echo Client Version: v1.37.0", fittingEtcd, "its kubectl is 1.37.0, and the tests need 1.36."},
		{"an older etcd", fittingAPIServer, fittingKubectl, "echo etcd Version: 3.5.21", "its etcd is 3.5.21, and the tests need 3.6."},
		{"no etcd", fittingAPIServer, fittingKubectl, "", "there is no etcd in "},
		{"of another machine", "exit 126", fittingKubectl, fittingEtcd, "kube-apiserver does not run here."},
		{"without a version", "echo dev", fittingKubectl, fittingEtcd, "kube-apiserver does not print its version."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newControlplane(t)
			c.given(t, tt.apiserver, tt.kubectl, tt.etcd)
			out := c.make(t)
			if !strings.Contains(out, "KUBEBUILDER_ASSETS is not used: ") || !strings.Contains(out, tt.why) || !strings.Contains(out, "It is built.") {
				t.Errorf("it prints:\n%s", out)
			}
		})
	}
	t.Run("no directory", func(t *testing.T) {
		c := newControlplane(t)
		c.env = append(c.env, "KUBEBUILDER_ASSETS="+filepath.Join(t.TempDir(), "none"))
		if out := c.make(t); !strings.Contains(out, "is not a directory.") || !strings.Contains(out, "It is built.") {
			t.Errorf("it prints:\n%s", out)
		}
	})
	t.Run("its own directory", func(t *testing.T) {
		c := newControlplane(t)
		c.env = append(c.env, "KUBEBUILDER_ASSETS="+c.assets)
		if out := c.make(t); !strings.Contains(out, "It is built.") || strings.Contains(out, "KUBEBUILDER_ASSETS") {
			t.Errorf("it prints:\n%s", out)
		}
	})
}

// published serves what setup-envtest reads: an index with one version, and its archive.
func published(t *testing.T, version, apiserver string) (index string) {
	t.Helper()
	var archive bytes.Buffer
	compressed := gzip.NewWriter(&archive)
	files := tar.NewWriter(compressed)
	for name, line := range map[string]string{"kube-apiserver": apiserver, "kubectl": fittingKubectl, "etcd": fittingEtcd} {
		text := "#!/bin/sh\n" + line + "\n"
		if err := files.WriteHeader(&tar.Header{Name: "controller-tools/envtest/" + name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if files.Close() != nil || compressed.Close() != nil {
		t.Fatal("the archive cannot be written")
	}
	sum := sha512.Sum512(archive.Bytes())
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/archive", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive.Bytes()) })
	mux.HandleFunc("/index.yaml", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "releases:\n  %s:\n    envtest-%s-%s-%s.tar.gz:\n      hash: %s\n      selfLink: %s/archive\n",
			version, version, runtime.GOOS, runtime.GOARCH, hex.EncodeToString(sum[:]), server.URL)
	})
	return server.URL + "/index.yaml"
}

// envtest lets make run the real setup-envtest. The test is skipped where that is neither there nor to be had.
func (c *controlplane) envtest(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds setup-envtest")
	}
	text := page(t, "Makefile")
	_, module, _ := strings.Cut(text, "SETUP_ENVTEST := ")
	module, _, _ = strings.Cut(module, "\n")
	install := exec.Command("go", "install", module)
	install.Env = append(os.Environ(), "GOBIN="+filepath.Dir(c.assets), "CGO_ENABLED=0")
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("there is no setup-envtest: %v\n%s", err, out)
	}
}

// TestControlplaneIsFetched: setup-envtest downloads what fits. The second clone on a machine downloads nothing, and where nothing can be
// downloaded, it is built.
func TestControlplaneIsFetched(t *testing.T) {
	c := newControlplane(t)
	c.envtest(t)
	nowhere := c.env
	c.env = append(c.env, "ENVTEST_INDEX="+published(t, "v1.36.1", fittingAPIServer))
	const says = "The tests use kube-apiserver, etcd and kubectl from "
	out := c.make(t)
	dir := filepath.Dir(strings.TrimSuffix(strings.TrimPrefix(out, says), ".\n") + "/x")
	if !strings.HasPrefix(out, says) || strings.Contains(out, "built") {
		t.Fatalf("it prints:\n%s", out)
	}
	c.wantLinks(t, dir)

	c.env = nowhere
	if err := os.RemoveAll(c.assets); err != nil {
		t.Fatal(err)
	}
	if out := c.make(t); out != says+dir+".\n" {
		t.Errorf("the second clone prints:\n%s", out)
	}

	c.env = append(c.env, "XDG_DATA_HOME="+t.TempDir())
	if err := os.RemoveAll(c.assets); err != nil {
		t.Fatal(err)
	}
	if out := c.make(t); !strings.Contains(out, "setup-envtest could not fetch them") || !strings.Contains(out, "It is built.") {
		t.Errorf("without a network it prints:\n%s", out)
	}
	if out := c.make(t); out != "" {
		t.Errorf("what is built is built again:\n%s", out)
	}
}

// TestControlplaneDoesNotWaitForASilentNetwork: an index that never answers is given up after some seconds.
func TestControlplaneDoesNotWaitForASilentNetwork(t *testing.T) {
	c := newControlplane(t)
	c.envtest(t)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	c.env = append(c.env, "ENVTEST_INDEX="+silent.URL, "ENVTEST_PATIENCE=1")
	began := time.Now()
	if out := c.make(t); !strings.Contains(out, "It is built.") {
		t.Errorf("it prints:\n%s", out)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it takes %s", took)
	}
}

// TestControlplaneDoesNotWriteThroughLinks: a later build does not change the programs that were linked.
func TestControlplaneDoesNotWriteThroughLinks(t *testing.T) {
	c := newControlplane(t)
	without := c.env
	assets := c.given(t, fittingAPIServer, fittingKubectl, fittingEtcd)
	c.make(t)
	c.env = without
	if out := c.make(t, "KUBERNETES_VERSION=v1.37.0"); !strings.Contains(out, "What was used before is not used: its kube-apiserver is 1.36.0") || !strings.Contains(out, "It is built.") {
		t.Fatalf("what does not fit any more is to be built:\n%s", out)
	}
	if content := page(t, filepath.Join(assets, "kube-apiserver")); content != "#!/bin/bash\n"+fittingAPIServer+"\n" {
		t.Errorf("it is %q now", content)
	}
}
