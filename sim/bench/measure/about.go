package measure

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Versions are those of what was measured, and of what it was measured with.
func Versions() map[string]string {
	versions := map[string]string{"Go": strings.TrimPrefix(runtime.Version(), "go")}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	names := map[string]string{
		"sigs.k8s.io/cluster-api": "Cluster API", "sigs.k8s.io/controller-runtime": "controller-runtime", "k8s.io/client-go": "client-go",
	}
	for _, module := range info.Deps {
		if name, ok := names[module.Path]; ok {
			versions[name] = module.Version
		}
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			versions["Sickbay"] = setting.Value[:min(len(setting.Value), 12)]
		}
	}
	return versions
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
