package lease

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestHeld: a lease counts as held until its holder is overdue, and by as much more as clocks may differ.
func TestHeld(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	renewed := func(holder string, ago time.Duration) coordinationv1.LeaseSpec {
		return coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NewMicroTime(now.Add(-ago)))}
	}
	for name, tt := range map[string]struct {
		spec  coordinationv1.LeaseSpec
		slack time.Duration
		want  bool
	}{
		"nobody":              {coordinationv1.LeaseSpec{}, 0, false},
		"renewed":             {renewed("a", 0), 0, true},
		"almost overdue":      {renewed("a", 15*time.Second-1), 0, true},
		"overdue":             {renewed("a", 15*time.Second), 0, false},
		"overdue, with slack": {renewed("a", 15*time.Second), 1, true},
		"released":            {renewed("", 0), time.Hour, false},
		"never renewed":       {coordinationv1.LeaseSpec{HolderIdentity: new("a"), LeaseDurationSeconds: new(int32(15))}, time.Hour, false},
	} {
		if got := Held(&coordinationv1.Lease{Spec: tt.spec}, now, tt.slack); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
