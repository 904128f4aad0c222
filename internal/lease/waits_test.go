package lease

import (
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus/testutil"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// TestWaitsForNobody: once the other manager is gone, the metrics no longer show a wait for it, even if this manager cannot take its own lease,
// for example without permission.
func TestWaitsForNobody(t *testing.T) {
	blue := scope.Scope{Controllers: []string{"machinehealth"}, Namespace: "blue"}
	other := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "other", Labels: map[string]string{scope.Label: ""}, Annotations: blue.Annotations(), ResourceVersion: "1"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: new("other"), LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NowMicro())},
	}
	leases := fake.NewClientset(other).CoordinationV1()
	lock := &Lock{identity: "me", log: logr.Discard(), others: &others{
		leases: leases, own: client.ObjectKey{Namespace: "ns", Name: "own"}, scope: scope.Scope{Controllers: blue.Controllers},
		clock: clock.RealClock{}, seen: map[client.ObjectKey]seen{},
	}}
	look := func(want int) {
		t.Helper()
		_, _, _ = lock.Get(t.Context())
		if got := testutil.CollectAndCount(waitsGauge); got != want {
			t.Errorf("%d series say that it waits, not %d", got, want)
		}
	}
	look(1)
	if err := leases.Leases("ns").Delete(t.Context(), "other", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	look(0)
	own := other.DeepCopy()
	own.Name, own.ResourceVersion = "own", "2"
	if _, err := leases.Leases("ns").Create(t.Context(), own, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	look(1)
	// One missed renewal does not show that its holder is gone.
	look(1)
}

// TestStandbySaysWhomItWaitsFor: an ordinary standby waits for the holder of its own lease. It logs each holder once, and the metric names the
// lease.
func TestStandbySaysWhomItWaitsFor(t *testing.T) {
	all := scope.Scope{Controllers: []string{"machinehealth", "reboot"}}
	own := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "own", Labels: map[string]string{scope.Label: ""}, Annotations: all.Annotations(), ResourceVersion: "1"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: new("sickbay-0"), LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NowMicro())},
	}
	leases := fake.NewClientset(own).CoordinationV1()
	var lines []string
	lock := &Lock{identity: "sickbay-1", log: funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{}), others: &others{
		leases: leases, own: client.ObjectKeyFromObject(own), scope: all, clock: clock.RealClock{}, seen: map[client.ObjectKey]seen{},
	}}
	defer lock.waits.end()
	look := func(holder, version string) {
		t.Helper()
		own.Spec.HolderIdentity, own.ResourceVersion = &holder, version
		if _, err := leases.Leases("ns").Update(t.Context(), own, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := lock.Get(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	look("sickbay-0", "2")
	look("sickbay-0", "3")
	look("sickbay-2", "4")
	want := []string{`"holder"="sickbay-0"`, `"holder"="sickbay-2"`}
	if len(lines) != len(want) {
		t.Fatalf("the log has %q", lines)
	}
	for i, line := range lines {
		if !strings.Contains(line, "Waiting for another manager, which does the same") || !strings.Contains(line, want[i]) || !strings.Contains(line, `"own"`) {
			t.Errorf("the log says %s", line)
		}
	}
	if got := testutil.ToFloat64(waitsGauge.WithLabelValues("ns", "own", "true")); got != 1 {
		t.Errorf("the metric is %v", got)
	}
}
