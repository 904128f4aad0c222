package world

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// sourceDir returns the directory of this file. Go commands that run there use the modules of this
// go.mod, wherever the program was started.
func sourceDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// AssetsDir returns the directory of etcd and kube-apiserver, unless Options.AssetsDir is set.
func AssetsDir() string {
	if dir := os.Getenv("KUBEBUILDER_ASSETS"); dir != "" {
		return dir
	}
	return filepath.Join(sourceDir(), "..", "..", "bin", "controlplane")
}

// ModuleFile returns the path at which the Go command keeps a file of a module, such as a
// CustomResourceDefinition.
func ModuleFile(module, name string) (string, error) {
	dir, err := moduleDir(module)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Stat(file); err != nil {
		return "", fmt.Errorf("looking for a file of module %s: %w", module, err)
	}
	return file, nil
}

// moduleDir returns the directory in which the Go command keeps the source of a module.
func moduleDir(path string) (string, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path)
	cmd.Dir = sourceDir()
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("asking go for the directory of module %s: %w", path, err)
	}
	dir := strings.TrimSpace(string(out))
	if dir == "" {
		return "", fmt.Errorf("module %s is not downloaded", path)
	}
	return dir, nil
}
