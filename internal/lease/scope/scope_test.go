package scope_test

import (
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

func TestOverlapsAndCovers(t *testing.T) {
	for name, test := range map[string]struct {
		a, b             scope.Scope
		overlap          bool
		aCovers, bCovers bool
	}{
		"the same":                   {of("all", "", ""), of("all", "", ""), true, true, true},
		"other namespaces":           {of("all", "blue", ""), of("all", "red", ""), false, false, false},
		"one namespace and all":      {of("all", "blue", ""), of("all", "", ""), true, false, true},
		"other filters":              {of("all", "", "a"), of("all", "", "b"), false, false, false},
		"a filter and none":          {of("all", "", "a"), of("all", "", ""), true, false, true},
		"a filter and a namespace":   {of("all", "", "a"), of("all", "blue", ""), true, false, false},
		"other controllers":          {of("reboot", "", ""), of("upgradepause", "", ""), false, false, false},
		"one controller in common":   {of("reboot,remediation", "", ""), of("reboot,upgradepause", "", ""), true, false, false},
		"one controller and all":     {of("reboot", "", ""), of("all", "", ""), true, false, true},
		"one that does not say":      {of("reboot", "blue", "a"), of("", "", ""), true, false, false},
		"common namespace, and more": {of("reboot", "blue", ""), of("upgradepause", "blue", ""), false, false, false},
	} {
		if got := test.a.Overlaps(test.b); got != test.overlap {
			t.Errorf("%s: overlap is %v", name, got)
		}
		if got := test.a.Covers(test.b); got != test.aCovers {
			t.Errorf("%s: the first covers the second is %v", name, got)
		}
		if got := test.b.Covers(test.a); got != test.bCovers {
			t.Errorf("%s: the second covers the first is %v", name, got)
		}
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

// anyScope draws from few values, so that scopes often overlap.
func anyScope() *rapid.Generator[scope.Scope] {
	return rapid.Custom(func(t *rapid.T) scope.Scope {
		return scope.Scope{
			Controllers: rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all), rapid.ID[string]).Draw(t, "controllers"),
			Namespace:   rapid.SampledFrom([]string{"", "blue", "red"}).Draw(t, "namespace"),
			WatchFilter: rapid.SampledFrom([]string{"", "a", "b", "A", "a.b", "a-b", "a_b"}).Draw(t, "filter"),
		}
	})
}

// object is an object that a controller may handle.
type object struct{ controller, namespace, filter string }

func does(s scope.Scope, o object) bool {
	return slices.Contains(s.Controllers, o.controller) && (s.Namespace == "" || s.Namespace == o.namespace) &&
		(s.WatchFilter == "" || s.WatchFilter == o.filter)
}

// everyObject includes a namespace and a filter that no scope names.
func everyObject() []object {
	var objects []object
	for _, c := range all {
		for _, ns := range []string{"blue", "red", "green"} {
			for _, f := range []string{"", "a", "b", "A", "a.b", "a-b", "a_b"} {
				objects = append(objects, object{c, ns, f})
			}
		}
	}
	return objects
}

// TestScopesByObjects: two scopes overlap if and only if both handle some object, and one covers the other if and only if it handles
// each object of the other.
func TestScopesByObjects(t *testing.T) {
	objects := everyObject()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyScope().Draw(t, "a"), anyScope().Draw(t, "b")
		both := slices.ContainsFunc(objects, func(o object) bool { return does(a, o) && does(b, o) })
		if a.Overlaps(b) != both || b.Overlaps(a) != both {
			t.Errorf("overlap is %v and %v, and of objects %v", a.Overlaps(b), b.Overlaps(a), both)
		}
		missed := slices.ContainsFunc(objects, func(o object) bool { return does(b, o) && !does(a, o) })
		if a.Covers(b) == missed {
			t.Errorf("covers is %v", a.Covers(b))
		}
	})
}

// TestLeasesTellScopesApart: scopes and lease names correspond one to one, whatever the order of the controllers. A lease's
// annotations give the scope that was written, and each name is valid for the API.
func TestLeasesTellScopesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyScope().Draw(t, "a"), anyScope().Draw(t, "b")
		same := a.Covers(b) && b.Covers(a)
		if (a.Lease(all) == b.Lease(all)) != same {
			t.Errorf("%s and %s have the leases %s and %s", a, b, a.Lease(all), b.Lease(all))
		}
		if wrong := validation.IsDNS1123Subdomain(a.Lease(all)); len(wrong) > 0 {
			t.Errorf("%s: %v", a.Lease(all), wrong)
		}
		if diff := cmp.Diff(a, scope.Of(a.Annotations())); diff != "" {
			t.Error(diff)
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
