package measure

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Versions returns the versions of what is measured and of its environment. Sickbay's is the version of the source.
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
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return result.Machine{}, fmt.Errorf("describing this machine: %w", err)
	}
	memory, err := proc.Meminfo()
	if err != nil {
		return result.Machine{}, fmt.Errorf("describing this machine: %w", err)
	}
	m := result.Machine{CPU: runtime.GOARCH, Cores: runtime.NumCPU(), Memory: int64(*memory.MemTotalBytes)}
	// Some kernels do not name the model.
	if cpus, err := proc.CPUInfo(); err == nil && len(cpus) > 0 && cpus[0].ModelName != "" {
		m.CPU = cpus[0].ModelName
	}
	return m, nil
}
