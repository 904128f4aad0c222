package announce

import (
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// FuzzFlags: the labels of a lease are read as they would be announced, or not at all.
func FuzzFlags(f *testing.F) {
	for _, seed := range [][4]string{
		{"all", "5m0s", "machinehealthcheck", ""}, {"handed-over", "0s", "machinehealth,machinehealthcheck", "east"}, {"", "", "", "east"},
		{"some", "5m", "a", "b"}, {"all", "5", "a", "b"}, {"all", "-1h", ",", "b"}, {"all", "2562047h47m16.854775807s", " a ,, b", "\x00"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, adopt, grace, controllers, filter string) {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
			Labels:      map[string]string{adoptLabel: adopt, gracePeriodLabel: grace},
			Annotations: map[string]string{scope.ControllersAnnotation: controllers, scope.WatchFilterAnnotation: filter},
		}}
		said, ok := flags(lease)
		if !ok {
			return
		}
		s := scope.Of(lease.Annotations)
		again := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Labels: said.Labels(), Annotations: s.Annotations()}}
		if got, ok := flags(again); !ok || got != said {
			t.Errorf("%+v is announced as %+v, %t", said, got, ok)
		}
	})
}
