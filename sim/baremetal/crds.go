package baremetal

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// CRDDir returns the directory of the definitions of the operator's kinds, in the module version
// that tools/bmo names. The go command downloads the module if it is missing.
func CRDDir() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	cmd := exec.Command("go", "mod", "download", "-modfile=go.mod", "-json", "github.com/metal3-io/baremetal-operator")
	cmd.Dir = filepath.Join(filepath.Dir(file), "..", "..", "tools", "bmo")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("asking go for the module of the baremetal-operator: %w", err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("asking go for the module of the baremetal-operator: %w", err)
	}
	return filepath.Join(module.Dir, "config", "base", "crds", "bases"), nil
}

var install struct {
	once sync.Once
	err  error
}

// InstallCRDs installs the operator's kinds on the API server that all tests of a process share. Further calls do nothing.
func InstallCRDs(cfg *rest.Config) error {
	install.once.Do(func() { install.err = installCRDs(cfg) })
	return install.err
}

func installCRDs(cfg *rest.Config) error {
	dir, err := CRDDir()
	if err != nil {
		return err
	}
	if _, err := envtest.InstallCRDs(cfg, envtest.CRDInstallOptions{Paths: []string{dir}, ErrorIfPathMissing: true}); err != nil {
		return fmt.Errorf("installing the kinds of the baremetal-operator: %w", err)
	}
	return nil
}
