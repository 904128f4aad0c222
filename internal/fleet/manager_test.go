package fleet

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// failing is an API server that answers with an error.
type failing struct {
	client.Reader
	err error
}

func (f failing) List(context.Context, client.ObjectList, ...client.ListOption) error { return f.err }

// TestManagerUnknown: a person who may not read the lease learns that. If the API server does not answer, the look fails, since the caches
// may be stale.
func TestManagerUnknown(t *testing.T) {
	observer := func(err error) *Observer {
		return &Observer{Live: failing{err: err}, AskManagers: true, Clock: clocktesting.NewFakePassiveClock(build.Epoch)}
	}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "leases"}, "sickbay-manager", errors.New("no"))
	if m, err := observer(forbidden).manager(t.Context(), ""); err != nil || m.Unknown != "you may not read its lease" {
		t.Errorf("it is %+v, %v", m, err)
	}
	alone := observer(forbidden)
	alone.Alone = "host-1"
	if m, err := alone.manager(t.Context(), ""); err != nil || m.Name != "host-1" {
		t.Errorf("alone it is %+v, %v", m, err)
	}
	alone.Live = failing{err: errors.New("connection refused")}
	if m, err := alone.manager(t.Context(), ""); err == nil {
		t.Errorf("alone, and without an answer, it is %+v", m)
	}
	_, err := observer(errors.New("connection refused")).Look(t.Context(), "")
	if err == nil || !strings.Contains(err.Error(), "asking the API server who leads: connection refused") {
		t.Errorf("the look ends with %v", err)
	}
}

// TestLeaders: it says who leads and for what, and who drains. A manager of another namespace does not count, nor does one that has stopped.
func TestLeaders(t *testing.T) {
	all := []string{"reboot", "remediation"}
	held := func(name string, ago time.Duration, of scope.Scope) coordinationv1.Lease {
		return coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: of.Lease(all), Labels: of.Labels(all)},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &name, LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NewMicroTime(build.Epoch.Add(-ago)))},
		}
	}
	everything := held("pod-0", 0, scope.Scope{Controllers: all})
	blue := held("pod-1", 0, scope.Scope{Controllers: all[:1], Namespace: "blue"})
	red := held("pod-2", 0, scope.Scope{Controllers: all[:1], Namespace: "red"})
	drains := held("pod-3", 0, scope.Scope{Controllers: all, Drain: true})
	old := held("pod-4", time.Minute, scope.Scope{Controllers: all})
	o := &Observer{Clock: clocktesting.NewFakePassiveClock(build.Epoch)}
	for name, tt := range map[string]struct {
		namespace string
		leases    []coordinationv1.Lease
		want      explain.Manager
	}{
		"no lease":          {"", nil, explain.Manager{Unknown: scope.NoLease}},
		"an old lease":      {"", []coordinationv1.Lease{old}, explain.Manager{}},
		"everything":        {"blue", []coordinationv1.Lease{everything}, explain.Manager{Name: "pod-0", Leads: "pod-0 leads"}},
		"a part":            {"blue", []coordinationv1.Lease{blue, red}, explain.Manager{Name: "pod-1", Leads: "pod-1 leads (reboot in namespace blue)"}},
		"a part, and all":   {"", []coordinationv1.Lease{blue, everything}, explain.Manager{Name: "pod-1", Leads: "pod-1 leads (reboot in namespace blue); pod-0 leads"}},
		"another namespace": {"green", []coordinationv1.Lease{blue}, explain.Manager{}},
		"one that drains":   {"", []coordinationv1.Lease{drains}, explain.Manager{Name: "pod-3", Leads: "pod-3 leads and drains: it hands everything back, and repairs nothing"}},
	} {
		if diff := cmp.Diff(tt.want, o.leader(tt.leases, tt.namespace)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
