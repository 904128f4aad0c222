package sickbay_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// dependabot is Dependabot's configuration.
type dependabot struct {
	Updates []struct {
		Ecosystem   string   `json:"package-ecosystem"`
		Directories []string `json:"directories"`
		Groups      map[string]struct {
			Patterns []string `json:"patterns"`
			Exclude  []string `json:"exclude-patterns"`
		} `json:"groups"`
		Ignore []struct {
			Name  string   `json:"dependency-name"`
			Types []string `json:"update-types"`
		} `json:"ignore"`
	} `json:"updates"`
}

func readDependabot(t *testing.T) dependabot {
	t.Helper()
	text, err := os.ReadFile(".github/dependabot.yml")
	if err != nil {
		t.Fatal(err)
	}
	var d dependabot
	if err := yaml.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Updates) != 2 || d.Updates[0].Ecosystem != "gomod" || d.Updates[1].Ecosystem != "github-actions" {
		t.Fatalf("it updates %+v, want Go modules and actions", d.Updates)
	}
	return d
}

// modules returns the directories with a go.mod, except those with test data and build results.
func modules(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (slices.Contains([]string{"testdata", "bin", "dist", "node_modules"}, entry.Name()) || strings.HasPrefix(entry.Name(), ".") && file != ".") {
			return filepath.SkipDir
		}
		if entry.Name() == "go.mod" {
			dirs = append(dirs, path.Join("/", filepath.ToSlash(filepath.Dir(file))))
		}
		return nil
	})
	if err != nil || len(dirs) < 2 {
		t.Fatalf("the modules are %v: %v", dirs, err)
	}
	return dirs
}

// TestDependabotKnowsEachModule: every module is updated, and every pattern matches a module.
func TestDependabotKnowsEachModule(t *testing.T) {
	patterns, dirs := readDependabot(t).Updates[0].Directories, modules(t)
	in := func(pattern, dir string) bool {
		matched, err := path.Match(pattern, dir)
		return err == nil && matched
	}
	for _, dir := range dirs {
		if !slices.ContainsFunc(patterns, func(pattern string) bool { return in(pattern, dir) }) {
			t.Errorf(".github/dependabot.yml leaves out the module in %s", dir)
		}
	}
	for _, pattern := range patterns {
		if !slices.ContainsFunc(dirs, func(dir string) bool { return in(pattern, dir) }) {
			t.Errorf(".github/dependabot.yml has %s, where there is no module", pattern)
		}
	}
}

var required = regexp.MustCompile(`(?m)^\s*(?:require )?([a-z0-9.-]+\.[a-z]+/\S+) v\S+`)

// TestDependabotKeepsVersionsTogether: each requirement is in exactly one group. Kubernetes, controller-runtime and Cluster API share a group, and
// only their patch versions are updated automatically.
func TestDependabotKeepsVersionsTogether(t *testing.T) {
	update := readDependabot(t).Updates[0]
	matches := func(patterns []string, module string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			before, star := strings.CutSuffix(pattern, "*")
			return module == pattern || star && strings.HasPrefix(module, before)
		})
	}
	for _, dir := range modules(t) {
		text, err := os.ReadFile(filepath.Join(".", dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range required.FindAllStringSubmatch(string(text), -1) {
			module, groups := found[1], []string{}
			for name, group := range update.Groups {
				if matches(group.Patterns, module) && !matches(group.Exclude, module) {
					groups = append(groups, name)
				}
			}
			if len(groups) != 1 {
				t.Errorf("%s of %s is in the groups %v, want one", module, dir, groups)
			}
			together := strings.HasPrefix(module, "k8s.io/") || module == "sigs.k8s.io/controller-runtime" || strings.HasPrefix(module, "sigs.k8s.io/cluster-api")
			byHand := false
			for _, one := range update.Ignore {
				byHand = byHand || matches([]string{one.Name}, module) && (len(one.Types) == 0 || slices.Contains(one.Types, "version-update:semver-minor"))
			}
			if together && (!slices.Equal(groups, []string{"kubernetes"}) || !byHand) {
				t.Errorf("%s of %s is in the groups %v, and its minor versions are taken by hand: %t", module, dir, groups, byHand)
			}
		}
	}
}
