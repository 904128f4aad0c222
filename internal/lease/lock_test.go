package lease

import (
	"math"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) { env.Main(m) }

// judges returns the scope of a manager that judges the machines of a namespace, which no other test uses.
func judges(namespace string) scope.Scope {
	return scope.Scope{Controllers: []string{"machinehealth"}, Namespace: namespace}
}

func newLock(t *testing.T, cfg *rest.Config, namespace, name string, s scope.Scope) *Lock {
	t.Helper()
	l, err := NewLock(cfg, client.ObjectKey{Namespace: namespace, Name: name}, s, nil, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// wish is the record of a manager that wants to lead.
func (l *Lock) wish() resourcelock.LeaderElectionRecord {
	return resourcelock.LeaderElectionRecord{HolderIdentity: l.identity, LeaseDurationSeconds: 15, RenewTime: metav1.Now(), AcquireTime: metav1.Now()}
}

// heldLease returns a lease whose holder renewed it a while ago.
func heldLease(namespace string, s scope.Scope, ago time.Duration) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "other", Labels: map[string]string{scope.Label: ""}, Annotations: s.Annotations()},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new("other"), LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NewMicroTime(time.Now().Add(-ago))),
		},
	}
}

// TestSameMoment: two managers with different leases look for each other at the same moment, see nobody, and start. At most one of them leads, and
// none holds a lease without leading. Later one of them leads.
func TestSameMoment(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for _, left := range []bool{false, true} {
		here, there := e.Namespace(t), e.Namespace(t)
		locks := []*Lock{newLock(t, e.Config, here, "a", judges(ns)), newLock(t, e.Config, there, "b", judges(ns))}
		if left {
			for _, l := range locks {
				lease := heldLease(l.others.own.Namespace, judges(ns), 0)
				lease.Name, lease.Spec.HolderIdentity = l.others.own.Name, new("")
				build.Create(t.Context(), t, e.Client, lease)
			}
		}
		for _, l := range locks {
			if _, _, err := l.Get(t.Context()); (err == nil) != left {
				t.Fatalf("looking for others: %v", err)
			}
		}
		leading := 0
		for _, l := range locks {
			err := l.Update(t.Context(), l.wish())
			if err == nil {
				leading++
			}
			var lease coordinationv1.Lease
			if err := e.Client.Get(t.Context(), l.others.own, &lease); err != nil {
				t.Fatal(err)
			}
			if held := Holder(&lease) != ""; held != (err == nil) {
				t.Errorf("the lease %s is held: %t; error %v", l.others.own, held, err)
			}
		}
		if leading != 1 {
			t.Errorf("%d lead", leading)
		}
		// The leader renews its lease, and releases it. Then the other one leads.
		if err := locks[0].Update(t.Context(), locks[0].wish()); err != nil {
			t.Errorf("renewing: %v", err)
		}
		if err := locks[0].Update(t.Context(), resourcelock.LeaderElectionRecord{LeaseDurationSeconds: 1, RenewTime: metav1.Now()}); err != nil {
			t.Errorf("giving back: %v", err)
		}
		if r, _, err := locks[1].Get(t.Context()); err != nil || r.HolderIdentity != "" {
			t.Errorf("%v is waited for: %v", r, err)
		}
		if err := locks[1].Update(t.Context(), locks[1].wish()); err != nil {
			t.Errorf("taking: %v", err)
		}
		if err := locks[1].Update(t.Context(), resourcelock.LeaderElectionRecord{LeaseDurationSeconds: 1, RenewTime: metav1.Now()}); err != nil {
			t.Errorf("giving back: %v", err)
		}
	}
}

// TestOtherClock: the clock of a leader is far too slow. It renews its lease, so it leads. A leader that does not renew delays others no longer
// than its lease lasts, whatever the lease's timestamps say.
func TestOtherClock(t *testing.T) {
	e := env.Get(t)
	for name, ago := range map[string]time.Duration{"slow": time.Hour, "fast": -time.Hour} {
		ns := e.Namespace(t)
		other := heldLease(ns, judges(ns), ago)
		build.Create(t.Context(), t, e.Client, other)
		clock := clocktesting.NewFakeClock(time.Now())
		l := newLock(t, e.Config, ns, "own", judges(ns))
		l.others.clock = clock
		waits := func() bool {
			r, _, err := l.Get(t.Context())
			return err == nil && r.HolderIdentity == "other"
		}
		for range 3 {
			if !waits() {
				t.Errorf("%s: a leader is not waited for", name)
			}
			clock.Step(10 * time.Second)
			other.Spec.RenewTime = new(metav1.NewMicroTime(other.Spec.RenewTime.Add(10 * time.Second)))
			if err := e.Client.Update(t.Context(), other); err != nil {
				t.Fatal(err)
			}
		}
		if !waits() {
			t.Errorf("%s: a leader is not waited for", name)
		}
		clock.Step(10 * time.Second)
		other.Annotations["example.dev/seen"] = "by somebody else"
		if err := e.Client.Update(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		if !waits() {
			t.Errorf("%s: a leader is not waited for", name)
		}
		clock.Step(6 * time.Second)
		if waits() {
			t.Errorf("%s: one that has not renewed its lease is waited for", name)
		}
	}
}

// TestLeftLeaseIsNoOverlap: a leader does not mistake a lease that nobody has renewed for long for that of another leader.
func TestLeftLeaseIsNoOverlap(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	build.Create(t.Context(), t, e.Client, heldLease(ns, judges(ns), time.Hour))
	w, err := NewWatch(e.Config, client.ObjectKey{Namespace: ns, Name: "own"}, judges(ns), nil, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := w.others.overlapping(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("found %v: %v", found, err)
	}
}

// TestForgedLease: a lease that claims to last for decades keeps a manager from leading for a minute, not for ever.
func TestForgedLease(t *testing.T) {
	e := env.Get(t)
	ns, there := e.Namespace(t), e.Namespace(t)
	forged := heldLease(there, judges(ns), 0)
	forged.Spec.LeaseDurationSeconds = new(int32(math.MaxInt32))
	build.Create(t.Context(), t, e.Client, forged)
	l := newLock(t, e.Config, ns, "own", judges(ns))
	clock := clocktesting.NewFakeClock(time.Now())
	l.others.clock = clock
	if r, _, err := l.Get(t.Context()); err != nil || r.HolderIdentity != "other" {
		t.Fatalf("it waits for %v: %v", r, err)
	}
	clock.Step(longest + time.Second)
	if err := l.Create(t.Context(), l.wish()); err != nil || !l.leads {
		t.Errorf("it does not lead after a minute: %v", err)
	}
}

// TestTrust: a manager waits only for leases in namespaces that it trusts, and still sees the others.
func TestTrust(t *testing.T) {
	e := env.Get(t)
	ns, there, elsewhere := e.Namespace(t), e.Namespace(t), e.Namespace(t)
	build.Create(t.Context(), t, e.Client, heldLease(there, judges(ns), 0))
	for name, tt := range map[string]struct {
		trusted []string
		want    int
	}{
		"all":       {nil, 1},
		"there":     {[]string{there}, 1},
		"elsewhere": {[]string{elsewhere}, 0},
	} {
		l := newLock(t, e.Config, ns, "own", judges(ns))
		l.Trust(tt.trusted...)
		if found, err := l.others.overlapping(t.Context()); err != nil || len(found) != tt.want {
			t.Errorf("%s: found %v: %v", name, found, err)
		}
	}
	own := heldLease(ns, judges(ns), 0)
	build.Create(t.Context(), t, e.Client, own)
	l := newLock(t, e.Config, ns, "own", judges(ns))
	l.Trust(elsewhere)
	if found, err := l.others.overlapping(t.Context()); err != nil || len(found) != 1 || found[0].Namespace != ns {
		t.Errorf("in its own namespace, found %v: %v", found, err)
	}
	w, err := NewWatch(e.Config, client.ObjectKey{Namespace: ns, Name: "own"}, judges(ns), nil, logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := w.others.overlapping(t.Context()); err != nil || len(found) != 2 {
		t.Errorf("the watch found %v: %v", found, err)
	}
}

// TestGoneLeasesAreForgotten: leases that come and go take no memory for ever.
func TestGoneLeasesAreForgotten(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	l := newLock(t, e.Config, ns, "own", judges(ns))
	for range 3 {
		lease := heldLease(ns, judges(ns), 0)
		lease.Name, lease.GenerateName = "", "other-"
		build.Create(t.Context(), t, e.Client, lease)
		if found, err := l.others.overlapping(t.Context()); err != nil || len(found) != 1 || len(l.others.seen) != 1 {
			t.Fatalf("found %v, remembers %v: %v", found, l.others.seen, err)
		}
		if err := e.Client.Delete(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
	}
}

// TestForbiddenForAWhile: an API server that has just started may refuse permitted requests. A manager must see others after that.
func TestForbiddenForAWhile(t *testing.T) {
	e := env.Get(t)
	ns, there := e.Namespace(t), e.Namespace(t)
	build.Create(t.Context(), t, e.Client, heldLease(there, judges(ns), 0))
	cfg := rest.CopyConfig(e.Config)
	cfg.Impersonate.UserName = "candidate-" + ns
	l := newLock(t, cfg, ns, "own", judges(ns))
	clock := clocktesting.NewFakeClock(time.Now())
	l.others.clock = clock
	if found, err := l.others.overlapping(t.Context()); err == nil {
		t.Fatalf("it may read %v", found)
	}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "leases-for-" + ns}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{coordinationv1.GroupName}, Resources: []string{"leases"}, Verbs: []string{"list"}}}}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: cfg.Impersonate.UserName}}}
	build.Create(t.Context(), t, e.Client, role, binding)
	NewWithT(t).Eventually(func() []coordinationv1.Lease {
		clock.Step(2 * time.Second)
		found, _ := l.others.overlapping(t.Context())
		return found
	}, 10*time.Second).ShouldNot(BeEmpty(), "the other manager is seen")
}

// TestLabelsOfTheHolder: what an earlier holder announced is removed. Labels of others stay.
func TestLabelsOfTheHolder(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	left := heldLease(ns, judges(ns), 0)
	left.Name, left.Spec.HolderIdentity = "own", new("")
	left.Labels["sickbay.dev/adopt"], left.Labels["example.dev/team"] = "all", "blue"
	build.Create(t.Context(), t, e.Client, left)
	l := newLock(t, e.Config, ns, "own", judges(ns))
	if _, _, err := l.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Update(t.Context(), l.wish()); err != nil {
		t.Fatal(err)
	}
	var got coordinationv1.Lease
	if err := e.Client.Get(t.Context(), l.others.own, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{scope.Label: "", "example.dev/team": "blue"}, got.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}
