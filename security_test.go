package sickbay_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// ofOthers matches the roles that are not for Sickbay itself, but for people, Prometheus and Cluster API.
var ofOthers = regexp.MustCompile(`^sickbay-(view|edit|admin|decide|dashboard|metrics-reader|(reboot-)?for-cluster-api)$`)

// granted returns the verbs that the manifests grant Sickbay, by resource and group.
func granted(t *testing.T) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	err := filepath.WalkDir("config", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".yaml" {
			return err
		}
		open, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = open.Close() }()
		for decoder := yaml.NewYAMLOrJSONDecoder(open, 4096); ; {
			role := rbacv1.ClusterRole{}
			if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			if (role.Kind == "ClusterRole" || role.Kind == "Role") && !ofOthers.MatchString(role.Name) {
				addRules(all, role.Rules)
			}
		}
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("Sickbay may do %v: %v", all, err)
	}
	return all
}

func addRules(all map[string]map[string]bool, rules []rbacv1.PolicyRule) {
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				name := strings.TrimSuffix(resource+"."+group, ".")
				if all[name] == nil {
					all[name] = map[string]bool{}
				}
				for _, verb := range rule.Verbs {
					all[name][verb] = true
				}
			}
		}
	}
}

var threat = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([a-z ]+) \\| [^|]+ \\|[^|]*\\|$")

// TestThreatModelNamesEachRight: docs/operations/security.md names exactly the rights that Sickbay has.
func TestThreatModelNamesEachRight(t *testing.T) {
	text, err := os.ReadFile("docs/operations/security.md")
	if err != nil {
		t.Fatal(err)
	}
	rights, named := granted(t), map[string]string{}
	for _, row := range threat.FindAllStringSubmatch(string(text), -1) {
		verbs := strings.Fields(row[2])
		slices.Sort(verbs)
		named[row[1]] = strings.Join(verbs, " ")
	}
	for kind, verbs := range rights {
		want := strings.Join(slices.Sorted(maps.Keys(verbs)), " ")
		if got, ok := named[kind]; !ok || got != want {
			t.Errorf("security.md says that Sickbay may %q %s, but the manifests say %q", got, kind, want)
		}
	}
	for kind := range named {
		if rights[kind] == nil {
			t.Errorf("security.md names %s, to which Sickbay has no right", kind)
		}
	}
}
