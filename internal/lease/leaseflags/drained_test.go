package leaseflags

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// TestNobodyDrainsAnyMore: the lease of a manager that has drained, and was removed, does not make commands take the fleet for nobody's.
func TestNobodyDrainsAnyMore(t *testing.T) {
	draining := Flags{Policy: mhcspec.Policy{Adopt: mhcspec.AdoptAll, Drain: true}, GracePeriod: 5 * time.Minute}
	// The manager has ended and released its lease, days ago.
	released := coordinationv1.LeaseSpec{
		HolderIdentity: new(""), LeaseDurationSeconds: new(int32(1)),
		RenewTime: new(metav1.NewMicroTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))),
	}
	server := leases{metas: everywhere(draining), specs: []coordinationv1.LeaseSpec{released}}
	if got, _ := Read(t.Context(), server, "", noon); got.Drain {
		t.Errorf("nobody leads, and commands read %+v: they take no MachineHealthCheck for Sickbay's", got)
	}
}
