package rights

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Right is one permission.
type Right struct {
	// Resource includes a subresource after a slash. Group and Resource may be *.
	Group, Resource, Verb string
	// Name is the name of the only object that it applies to; empty for all. It matters only for
	// leases.
	Name string
	// Local limits the right to Sickbay's own namespace.
	Local bool
}

func (r Right) String() string {
	if r.Group == "" {
		return r.Verb + " " + r.Resource
	}
	return r.Verb + " " + r.Resource + "." + r.Group
}

// covers reports whether r includes another right.
func (r Right) covers(other Right) bool {
	if (r.Local && !other.Local) || (r.Name != "" && r.Name != other.Name) {
		return false
	}
	return r.Verb == other.Verb && (r.Group == "*" || r.Group == other.Group) && (r.Resource == "*" || r.Resource == other.Resource)
}

// openShift is in the names of the ClusterRoles that only an installation on OpenShift gets.
const openShift = "openshift"

// Role is a generated role.
type Role struct {
	// Name is the name of the file, with "-openshift" appended if the role is only for
	// OpenShift.
	Name string
	// Rules apply to all namespaces, Local only to Sickbay's own.
	Rules, Local []rbacv1.PolicyRule
}

// Rights returns all rights of the role.
func (r Role) Rights() []Right {
	all := append(rightsOf(r.Rules, false), rightsOf(r.Local, true)...)
	slices.SortFunc(all, func(a, b Right) int { return cmp.Compare(a.String(), b.String()) })
	return slices.Compact(all)
}

func rightsOf(rules []rbacv1.PolicyRule, local bool) []Right {
	var all []Right
	for _, rule := range rules {
		name := strings.Join(rule.ResourceNames, " ")
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, Right{Group: group, Resource: resource, Verb: verb, Name: name, Local: local})
				}
			}
		}
	}
	return all
}

// Roles returns the generated roles by name.
func Roles() (map[string]Role, error) {
	_, file, _, _ := runtime.Caller(0)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(file), "..", "..", "charts", "sickbay", "files", "rbac", "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("finding the generated roles: %d files, error %w", len(files), err)
	}
	roles := map[string]Role{}
	for _, file := range files {
		if err := readRoles(file, roles); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
	}
	return roles, nil
}

func readRoles(file string, roles map[string]Role) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(filepath.Base(file), ".yaml")
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var one rbacv1.ClusterRole // a Role has the same fields
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		name := base
		if one.Name == openShift {
			name += "-" + openShift
		}
		role := roles[name]
		role.Name = name
		if one.Namespace == "" {
			role.Rules = append(role.Rules, one.Rules...)
		} else {
			role.Local = append(role.Local, one.Rules...)
		}
		roles[name] = role
	}
}
