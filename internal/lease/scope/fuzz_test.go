package scope_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// FuzzOf: the annotations of a lease give one scope, however they are written. It overlaps with itself and with one that is unknown.
func FuzzOf(f *testing.F) {
	for _, seed := range [][3]string{
		{"", "", ""}, {"machinehealth", "blue", "east"}, {"a,b", "", ""}, {" a , ,b,", "blue", ""}, {",", "blue", "east"}, {"a,a", "\x00", "\xff"}, {"a\n", "b/c", "é"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, controllers, namespace, filter string) {
		s := scope.Of(map[string]string{scope.ControllersAnnotation: controllers, scope.NamespaceAnnotation: namespace, scope.WatchFilterAnnotation: filter})
		if diff := cmp.Diff(s, scope.Of(s.Annotations())); diff != "" {
			t.Errorf("it is another one when it is read again:\n%s", diff)
		}
		if !s.Overlaps(s) || !s.Overlaps(scope.Scope{}) || s.Covers(s) != s.Known() {
			t.Errorf("%v overlaps with itself: %t, with an unknown one: %t; covers itself: %t", s, s.Overlaps(s), s.Overlaps(scope.Scope{}), s.Covers(s))
		}
		if s.String() == "" {
			t.Error("it says nothing")
		}
	})
}
