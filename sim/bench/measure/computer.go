package measure

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Versions returns the versions of what is measured and of its environment. Sickbay's is the version of the
// source.
func Versions(ctx context.Context, sickbay string) (map[string]string, error) {
	server, err := exec.CommandContext(ctx, filepath.Join(world.AssetsDir(), "kube-apiserver"), "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("asking kube-apiserver for its version: %w", err)
	}
	versions := map[string]string{
		"Sickbay": sickbay, "Go": strings.TrimPrefix(runtime.Version(), "go"),
		"kube-apiserver": strings.TrimSpace(strings.TrimPrefix(string(server), "Kubernetes")),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions, nil
	}
	names := map[string]string{
		"sigs.k8s.io/cluster-api": "Cluster API", "sigs.k8s.io/controller-runtime": "controller-runtime", "k8s.io/client-go": "client-go",
	}
	for _, module := range info.Deps {
		if name, ok := names[module.Path]; ok {
			versions[name] = module.Version
		}
	}
	return versions, nil
}

// Machine describes this computer.
func Machine() (result.Machine, error) {
	cpu, err := valueOf("/proc/cpuinfo", "model name")
	if err != nil {
		cpu = runtime.GOARCH // if the kernel does not name the model
	}
	memory, err := valueOf("/proc/meminfo", "MemTotal")
	if err != nil {
		return result.Machine{}, err
	}
	var kib int64
	if _, err := fmt.Sscanf(memory, "%d kB", &kib); err != nil {
		return result.Machine{}, fmt.Errorf("describing this machine: its memory is %q: %w", memory, err)
	}
	return result.Machine{CPU: cpu, Cores: runtime.NumCPU(), Memory: kib << 10}, nil
}

// valueOf returns the first value in a file of lines like "key : value".
func valueOf(file, key string) (string, error) {
	lines, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("describing this machine: %w", err)
	}
	defer func() { _ = lines.Close() }()
	scanner := bufio.NewScanner(lines)
	for scanner.Scan() {
		if name, value, found := strings.Cut(scanner.Text(), ":"); found && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value), nil
		}
	}
	if err := scanner.Err(); err != nil {
		return "", fmt.Errorf("describing this machine: %w", err)
	}
	return "", fmt.Errorf("describing this machine: %s has no %q", file, key)
}
