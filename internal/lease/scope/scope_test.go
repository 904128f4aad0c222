package scope_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

var all = []string{"machinehealth", "machinehealthcheck", "remediation", "upgradepause", "reboot"}

func of(controllers, namespace, filter string) scope.Scope {
	s := scope.Scope{Namespace: namespace, WatchFilter: filter}
	switch controllers {
	case "":
	case "all":
		s.Controllers = all
	default:
		s.Controllers = strings.Split(controllers, ",")
	}
	return s
}

// TestLease: users see the names.
func TestLease(t *testing.T) {
	for want, s := range map[string]scope.Scope{
		"sickbay-manager":                                              of("all", "", ""),
		"sickbay-manager.only-upgradepause":                            of("upgradepause", "", ""),
		"sickbay-manager.only-machinehealth-reboot":                    of("reboot,machinehealth,reboot", "", ""),
		"sickbay-manager.in-blue":                                      of("all", "blue", ""),
		"sickbay-manager.for-team-a":                                   of("all", "", "team-a"),
		"sickbay-manager.for-team-a.3a0ad158":                          of("all", "", "Team_A"),
		"sickbay-manager.only-reboot.in-blue.for-green":                of("reboot", "blue", "green"),
		"sickbay-manager.for-x-y.c6d04176":                             of("all", "", "x.y"),
		"sickbay-manager.only-machinehealth-machinehealthcheck.in-red": of("machinehealthcheck,machinehealth", "red", ""),
	} {
		if got := s.Lease(all); got != want {
			t.Errorf("the lease of %s is %q, want %q", s, got, want)
		}
	}
}

// TestLooks: a manager of one namespace handles no other, and one without a namespace handles all.
func TestLooks(t *testing.T) {
	red, everything := of("reboot", "red", ""), of("all", "", "")
	if red.Looks("blue") || !red.Looks("red") || !red.Looks("") || !everything.Looks("blue") {
		t.Error("a manager of one namespace looks after others")
	}
}

func TestString(t *testing.T) {
	for want, s := range map[string]scope.Scope{
		"reboot in all namespaces":                                      of("reboot", "", ""),
		`machinehealth, reboot in namespace blue with watch filter "a"`: of("machinehealth,reboot", "blue", "a"),
		"nobody knows what, as its lease does not say":                  {},
	} {
		if got := s.String(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

// anyScope draws from few values, so that scopes are often the same.
func anyScope() *rapid.Generator[scope.Scope] {
	return rapid.Custom(func(t *rapid.T) scope.Scope {
		return scope.Scope{
			Controllers: rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all), rapid.ID[string]).Draw(t, "controllers"),
			Namespace:   rapid.SampledFrom([]string{"", "blue", "red"}).Draw(t, "namespace"),
			WatchFilter: rapid.SampledFrom([]string{"", "a", "b", "A", "a.b", "a-b", "a_b"}).Draw(t, "filter"),
			Drain:       rapid.Bool().Draw(t, "drain"),
		}
	})
}

// TestLeasesTellScopesApart: scopes and lease names correspond one to one, whatever the order of the controllers, and each name is valid for
// the API. A manager that drains has the same lease as before. The labels of a lease give the scope of its present holder.
func TestLeasesTellScopesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyScope().Draw(t, "a"), anyScope().Draw(t, "b")
		slices.Sort(a.Controllers)
		slices.Sort(b.Controllers)
		undrained := func(s scope.Scope) scope.Scope { s.Drain = false; return s }
		same := cmp.Equal(undrained(a), undrained(b))
		if (a.Lease(all) == b.Lease(all)) != same {
			t.Errorf("%s and %s have the leases %s and %s", a, b, a.Lease(all), b.Lease(all))
		}
		if wrong := validation.IsDNS1123Subdomain(a.Lease(all)); len(wrong) > 0 {
			t.Errorf("%s: %v", a.Lease(all), wrong)
		}
		labels := b.Labels(all)
		maps.Copy(labels, a.Labels(all))
		if diff := cmp.Diff(a, scope.Of(labels)); diff != "" {
			t.Error(diff)
		}
		for key, value := range labels {
			if wrong := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(wrong) > 0 {
				t.Errorf("the label %s=%s is none: %v", key, value, wrong)
			}
		}
	})
}

// TestAnyLabelIsAName: any label value gives a valid name.
func TestAnyLabelIsAName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?`).Draw(t, "value")
		namespace := rapid.StringMatching(`[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?`).Draw(t, "namespace")
		name := scope.Scope{Controllers: all[1:], Namespace: namespace, WatchFilter: value}.Lease(all)
		if wrong := validation.IsDNS1123Subdomain(name); len(wrong) > 0 {
			t.Errorf("%s: %v", name, wrong)
		}
	})
}
