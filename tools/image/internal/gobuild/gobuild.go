// Package gobuild builds Go binaries reproducibly: static, stripped, and without a trace of the build
// machine. Only the version of Go makes a difference.
package gobuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Platform is what a binary runs on.
type Platform struct{ OS, Arch string }

func (p Platform) String() string { return p.OS + "/" + p.Arch }

// Suffix returns the suffix of programs' names.
func (p Platform) Suffix() string {
	if p.OS == "windows" {
		return ".exe"
	}
	return ""
}

// Platforms parses a list like "linux/amd64,linux/arm64".
func Platforms(list string) ([]Platform, error) {
	var platforms []Platform
	for item := range strings.SplitSeq(list, ",") {
		system, arch, ok := strings.Cut(item, "/")
		if !ok || system == "" || arch == "" || strings.Contains(arch, "/") {
			return nil, fmt.Errorf("%q is not a platform: write, for example, linux/amd64", item)
		}
		platforms = append(platforms, Platform{system, arch})
	}
	return platforms, nil
}

// Program is a program to build.
type Program struct {
	// Dir is the directory of its module, and Package its main package there.
	Dir, Package string
	// Stamp is the variable that is set to Version.
	Stamp, Version string
}

// Build builds the program for a platform into a file.
func Build(ctx context.Context, program Program, platform Platform, file string) error {
	file, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	flags := "-s -w -buildid= -X " + program.Stamp + "=" + program.Version
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", file, program.Package)
	cmd.Dir = program.Dir
	// Variables in a person's environment would make a difference.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off", "GOFIPS140=off",
		"GOOS="+platform.OS, "GOARCH="+platform.Arch, "GOAMD64=v1", "GOARM64=v8.0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s for %s: %w\n%s", program.Package, platform, err, out)
	}
	return nil
}
