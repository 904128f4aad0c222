package env

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// repositoryRoot returns the directory of the root module, even from a nested module such as sim.
func repositoryRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the repository root: %w", err)
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module github.com/sickbay-dev/sickbay\n") {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("finding the repository root: no go.mod of module github.com/sickbay-dev/sickbay above the working directory")
		}
		dir = parent
	}
}

// assetsDir returns the directory of the kube-apiserver and etcd binaries.
func assetsDir() (string, error) {
	dir := os.Getenv("KUBEBUILDER_ASSETS")
	if dir == "" {
		root, err := repositoryRoot()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(root, "bin", "controlplane")
	}
	for _, binary := range []string{"kube-apiserver", "etcd"} {
		if _, err := os.Stat(filepath.Join(dir, binary)); err != nil {
			return "", fmt.Errorf("%s is missing in %s: run make controlplane", binary, dir)
		}
	}
	return dir, nil
}

// moduleDir returns the directory of a module that the tested module requires. If the tested module uses none of its Go
// packages, go.sum may have no hash for it; then the hash comes from this repository's root module.
func moduleDir(module string) (string, error) {
	root, err := repositoryRoot()
	if err != nil {
		return "", err
	}
	for _, from := range []string{".", root} {
		list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
		list.Dir = from
		if out, err := list.Output(); err == nil && len(bytes.TrimSpace(out)) > 0 {
			return string(bytes.TrimSpace(out)), nil
		}
	}
	return download(module)
}

// download writes the hash to go.sum, so it is the fallback.
func download(module string) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("downloading module %s: %w", module, err)
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		return "", fmt.Errorf("downloading module %s: %w", module, err)
	}
	return info.Dir, nil
}
