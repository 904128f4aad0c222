package sickbay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeAssets writes programs that only print their versions; those without a version are missing.
func fakeAssets(t *testing.T, apiserver, kubectl, etcd string) string {
	t.Helper()
	dir := t.TempDir()
	for name, answer := range map[string]string{"kube-apiserver": apiserver, "kubectl": kubectl, "etcd": etcd} {
		if answer == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+answer+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	fittingAPIServer = "echo Kubernetes v1.36.0"
	fittingKubectl   = "echo Client Version: v1.36.1; echo Kustomize Version: v5.8.1"
	fittingEtcd      = "echo etcd Version: 3.6.4; echo Go Version: go1.24.6"
)

// makeControlplane runs make with a fake go that only reports that it was called, and returns the output.
func makeControlplane(t *testing.T, assets, into string) string {
	t.Helper()
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, "go"), []byte("#!/bin/sh\necho \"It is built.\"\necho built >"+into+"/kube-apiserver\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("make", "--no-print-directory", "controlplane", "ASSETS="+into)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "MAKE") && !strings.HasPrefix(variable, "MFLAGS") && !strings.HasPrefix(variable, "KUBEBUILDER_ASSETS=") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+path+":"+os.Getenv("PATH"))
	if assets != "" {
		cmd.Env = append(cmd.Env, "KUBEBUILDER_ASSETS="+assets)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestControlplaneTakesWhatIsThere: prebuilt programs with the right versions are linked, and nothing is built.
func TestControlplaneTakesWhatIsThere(t *testing.T) {
	assets, into := fakeAssets(t, fittingAPIServer, fittingKubectl, fittingEtcd), filepath.Join(t.TempDir(), "controlplane")
	out := makeControlplane(t, assets, into)
	if strings.Contains(out, "It is built") || !strings.Contains(out, "from "+assets) {
		t.Errorf("it prints:\n%s", out)
	}
	for _, name := range []string{"kube-apiserver", "kubectl", "etcd"} {
		if target, err := os.Readlink(filepath.Join(into, name)); err != nil || target != filepath.Join(assets, name) {
			t.Errorf("%s leads to %s: %v", name, target, err)
		}
	}
}

// TestControlplaneRefusesWhatDoesNotFit: it says why, and builds.
func TestControlplaneRefusesWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct{ name, apiserver, kubectl, etcd, why string }{
		{"an older API server", "echo Kubernetes v1.35.3", fittingKubectl, fittingEtcd, "its kube-apiserver is 1.35.3, and the tests need 1.36."},
		{"a newer kubectl", fittingAPIServer, "echo Client Version: v1.37.0", fittingEtcd, "its kubectl is 1.37.0, and the tests need 1.36."},
		{"an older etcd", fittingAPIServer, fittingKubectl, "echo etcd Version: 3.5.21", "its etcd is 3.5.21, and the tests need 3.6."},
		{"no etcd", fittingAPIServer, fittingKubectl, "", "there is no etcd in "},
		{"of another machine", "exit 126", fittingKubectl, fittingEtcd, "kube-apiserver does not run here."},
		{"without a version", "echo dev", fittingKubectl, fittingEtcd, "kube-apiserver does not print its version."},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := makeControlplane(t, fakeAssets(t, c.apiserver, c.kubectl, c.etcd), filepath.Join(t.TempDir(), "controlplane"))
			if !strings.Contains(out, "KUBEBUILDER_ASSETS is not used: ") || !strings.Contains(out, c.why) || !strings.Contains(out, "It is built.") {
				t.Errorf("it prints:\n%s", out)
			}
		})
	}
	t.Run("no directory", func(t *testing.T) {
		if out := makeControlplane(t, filepath.Join(t.TempDir(), "none"), t.TempDir()); !strings.Contains(out, "is not a directory.") || !strings.Contains(out, "It is built.") {
			t.Errorf("it prints:\n%s", out)
		}
	})
}

// TestControlplaneTellsHowToFetchIt: without KUBEBUILDER_ASSETS, the output says how to fetch the programs.
func TestControlplaneTellsHowToFetchIt(t *testing.T) {
	out := makeControlplane(t, "", t.TempDir())
	hint := "export KUBEBUILDER_ASSETS=$(go run sigs.k8s.io/controller-runtime/tools/setup-envtest@release-0.24 use 1.36.x -p path)"
	if !strings.Contains(out, hint) || !strings.Contains(out, "It is built.") || strings.Contains(out, "is not used") {
		t.Errorf("it prints:\n%s", out)
	}
	if !strings.Contains(page(t, "CONTRIBUTING.md"), hint) {
		t.Errorf("CONTRIBUTING.md does not say %s", hint)
	}
}

// TestControlplaneDoesNotWriteThroughLinks: a later build does not change the programs that were linked.
func TestControlplaneDoesNotWriteThroughLinks(t *testing.T) {
	assets, into := fakeAssets(t, fittingAPIServer, fittingKubectl, fittingEtcd), filepath.Join(t.TempDir(), "controlplane")
	makeControlplane(t, assets, into)
	linked := filepath.Join(assets, "kube-apiserver")
	if err := os.Chtimes(linked, time.Time{}, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if out := makeControlplane(t, "", into); !strings.Contains(out, "It is built.") {
		t.Fatalf("what is older than its source is to be built:\n%s", out)
	}
	if content := page(t, linked); content != "#!/bin/sh\n"+fittingAPIServer+"\n" {
		t.Errorf("%s is %q now", linked, content)
	}
	// The directory itself cannot be the source of the links.
	if out, err := exec.Command("tools/controlplane/prebuilt", into, into, "v1.36.3", "v3.6.14").CombinedOutput(); err == nil || len(out) != 0 {
		t.Errorf("it is linked to itself: %v\n%s", err, out)
	}
}
