package main

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// version is the version of Sickbay's source, which includes this program. The build sets it.
var version = "dev"

// environment says by keyword when and where the run is, and the versions of what is measured.
func environment(ctx context.Context) (map[string]string, error) {
	server, err := exec.CommandContext(ctx, filepath.Join(world.AssetsDir(), "kube-apiserver"), "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("asking kube-apiserver for its version: %w", err)
	}
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return nil, fmt.Errorf("describing this machine: %w", err)
	}
	memory, err := proc.Meminfo()
	if err != nil {
		return nil, fmt.Errorf("describing this machine: %w", err)
	}
	about := map[string]string{
		"date": time.Now().UTC().Format(time.RFC3339), "sickbay": version, "go": runtime.Version(), "kube-apiserver": strings.TrimSpace(string(server)),
		"cpu": runtime.GOARCH, "cores": strconv.Itoa(runtime.NumCPU()), "memory": fmt.Sprintf("%.1f GiB", float64(*memory.MemTotalBytes)/(1<<30)),
	}
	// Some kernels do not name the model.
	if cpus, err := proc.CPUInfo(); err == nil && len(cpus) > 0 && cpus[0].ModelName != "" {
		about["cpu"] = cpus[0].ModelName
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			switch module.Path {
			case "sigs.k8s.io/cluster-api", "sigs.k8s.io/controller-runtime", "k8s.io/client-go":
				about[path.Base(module.Path)] = module.Version
			}
		}
	}
	return about, nil
}
