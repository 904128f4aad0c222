package reboot

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// TestSweepUnmarks: when Sickbay drains, the marks of failed cycles go from hosts, and no marks of others. Those of a manager with another filter stay,
// and all stay while it does not drain.
func TestSweepUnmarks(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	hosts := map[string]*metal3v1.BareMetalHost{}
	for _, name := range []string{"ours", "theirs"} {
		host := &metal3v1.BareMetalHost{}
		host.Namespace, host.Name = ns, name
		host.Annotations = map[string]string{cycle.UnhealthyKeys[0]: cycle.UnhealthyByUs, cycle.UnhealthyKeys[1]: "by-others"}
		build.Create(t.Context(), t, e.Client, host)
		request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: map[string]string{clusterv1.WatchLabel: name}}}
		request.Spec.Machine = &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: name}
		request.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: "r", UID: "u", OperationID: "u/1"}
		request.Status = v1alpha1.RebootRemediationStatus{Phase: v1alpha1.Failed, Host: &v1alpha1.HostIdentity{Name: name, UID: host.UID}, HostMarkedSince: new(metav1.Now())}
		build.Create(t.Context(), t, e.Client, request)
		hosts[name] = host
	}
	for _, drains := range []bool{false, true} {
		sweeper := &Sweeper{Client: e.Client, Live: e.Client, Namespace: ns, Policy: mhcspec.Policy{WatchFilter: "ours", Drain: drains}}
		if err := sweeper.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, host := range hosts {
			objects.Read(t, e.Client, host)
			if marked(host) != (name == "theirs" || !drains) || host.Annotations[cycle.UnhealthyKeys[1]] != "by-others" {
				t.Errorf("drains: %t: host %s has %v", drains, name, host.Annotations)
			}
		}
	}
}

// TestSweepGoesOn: a host that refuses keeps its key until the next sweep; the other hosts lose theirs in this one.
func TestSweepGoesOn(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	hosts := map[string]*metal3v1.BareMetalHost{}
	for _, name := range []string{"a", "b", "c"} {
		host := &metal3v1.BareMetalHost{}
		host.Namespace, host.Name = ns, name
		host.Annotations = map[string]string{cycle.KeyOf("of-nobody"): "", cycle.KeyOf("of-nobody-either"): ""}
		build.Create(t.Context(), t, e.Client, host)
		hosts[name] = host
	}
	refusing := e.Intercept(t, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if obj.GetName() == "a" {
				return errors.New("a webhook says no")
			}
			return c.Patch(ctx, obj, patch, opts...)
		},
	})
	sweeper := &Sweeper{Client: refusing, Live: e.Client, Namespace: ns}
	if err := sweeper.Sweep(t.Context()); err == nil || !strings.Contains(err.Error(), ns+"/a") {
		t.Errorf("the error is %v, want one about the host that refuses", err)
	}
	for name, want := range map[string]int{"a": 2, "b": 0, "c": 0} {
		if left := reread(t, e, hosts[name]).Annotations; len(left) != want {
			t.Errorf("host %s has the keys %v", name, left)
		}
	}
}

// TestSweepTriesAgain: a failed sweep is retried soon, not a whole period later. If the server goes on failing, the retries become
// rarer; after a success, the backoff starts again.
func TestSweepTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		lists := &failingLists{until: start.Add(6 * time.Second)}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := (&Sweeper{Live: lists, Period: 10 * time.Second}).Start(ctx); err != nil {
			t.Fatal(err)
		}
		var got []time.Duration
		for _, at := range lists.at {
			got = append(got, at.Sub(start))
		}
		want := []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second, 17 * time.Second, 27 * time.Second}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("it swept at other times (-want +got):\n%s", diff)
		}
	})
}

// failingLists is an API server without hosts that fails until a given time.
type failingLists struct {
	client.Reader
	until time.Time
	at    []time.Time
}

func (f *failingLists) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if _, hosts := list.(*metal3v1.BareMetalHostList); hosts {
		f.at = append(f.at, time.Now())
	}
	if time.Now().Before(f.until) {
		return errors.New("not served yet")
	}
	return nil
}
