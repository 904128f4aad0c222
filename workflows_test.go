package sickbay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// workflow is what a workflow of GitHub runs.
type workflow struct {
	Jobs map[string]struct {
		Strategy struct {
			Matrix struct {
				Target []string `json:"target"`
			} `json:"matrix"`
		} `json:"strategy"`
		Steps []struct {
			Uses string `json:"uses"`
			Run  string `json:"run"`
		} `json:"steps"`
	} `json:"jobs"`
}

// TestWorkflowsRunOurScripts: all that a workflow does is in scripts that anybody can run, and the actions that it uses cannot change behind our
// backs.
func TestWorkflowsRunOurScripts(t *testing.T) {
	files, err := filepath.Glob(".github/workflows/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("the workflows are %v: %v", files, err)
	}
	script := regexp.MustCompile(`^(make [a-z$].*|bash \.ci/run|git config --global --add safe\.directory "\$GITHUB_WORKSPACE")$`)
	pinned := regexp.MustCompile(`^[\w/.-]+@[0-9a-f]{40}$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var flow workflow
		if err := yaml.Unmarshal(text, &flow); err != nil {
			t.Fatal(err)
		}
		for name, job := range flow.Jobs {
			targets := job.Strategy.Matrix.Target
			for _, step := range job.Steps {
				switch {
				case step.Uses != "" && !pinned.MatchString(step.Uses):
					t.Errorf("%s: job %s uses %s, which names no commit", file, name, step.Uses)
				case step.Run != "" && !script.MatchString(step.Run):
					t.Errorf("%s: job %s runs %q: put that into a script of tools/make", file, name, step.Run)
				case strings.HasPrefix(step.Run, "make ") && !strings.Contains(step.Run, "matrix"):
					targets = append(targets, strings.Fields(step.Run)[1])
				}
			}
			for _, target := range targets {
				if _, err := os.Stat("tools/make/" + strings.Fields(target)[0]); err != nil {
					t.Errorf("%s: job %s makes what no script is there for: %v", file, name, err)
				}
			}
		}
	}
}

// TestScriptsOfWorkflowsRunDry runs the scripts that need the internet, up to their commands.
func TestScriptsOfWorkflowsRunDry(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		script, version string
		want            []string
	}{
		{"test-kind", "v0.1.0", []string{"kind@", "clusterctl init", "helm install sickbay charts/sickbay", "systemctl stop kubelet", "--for=delete", "delete cluster"}},
		{"publish", "v0.1.0", []string{"push-image", "sign --yes ghcr.io/example/sickbay@sha256:", "oci://ghcr.io/example/charts", "sign-blob", "gh release create v0.1.0", "--prerelease=false"}},
		{"publish", "v0.1.0-rc.1", []string{"gh release create v0.1.0-rc.1", "--prerelease=true"}},
	} {
		t.Run(one.script+" "+one.version, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range []string{"SHA256SUMS", "sickbay-" + one.version[1:] + ".tgz"} {
				if err := os.MkdirAll(filepath.Join(dir, "dist"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "dist", file), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(root, "tools/make", one.script))
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "DRY_RUN=1", "ROOT="+root, "BIN=bin", "ASSETS=assets", "OTHERS=others", "VERSION="+one.version, "REPOSITORY=ghcr.io/example/sickbay", "GITHUB_OUTPUT=/dev/stdout", "CHART=")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			rest := string(out)
			for _, want := range one.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("%q does not come next:\n%s", want, out)
				}
				rest = after
			}
		})
	}
}
