package leaseflags

import (
	"maps"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// FuzzFlags: the labels of a lease are read as they would be announced, or not at all.
func FuzzFlags(f *testing.F) {
	for _, seed := range [][4]string{
		{"all", "5m0s", "true", ""}, {"handed-over", "0s", "false", "east"}, {"", "", "", "east"},
		{"some", "5m", "a", "b"}, {"all", "5", "a", "b"}, {"all", "-1h", ",", "b"}, {"all", "2562047h47m16.854775807s", "true", "\x00"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, adopt, grace, drain, filter string) {
		said, ok := flags(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
			adoptLabel: adopt, gracePeriodLabel: grace, scope.DrainLabel: drain, scope.WatchFilterLabel: filter,
		}}})
		if !ok {
			return
		}
		labels := scope.Scope{WatchFilter: said.WatchFilter, Drain: said.Drain}.Labels(nil)
		maps.Copy(labels, said.Labels())
		if got, ok := flags(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Labels: labels}}); !ok || got != said {
			t.Errorf("%+v is announced as %+v, %t", said, got, ok)
		}
	})
}
