package reboot

import (
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// TestKeysSeen: the time begins with the first look that has seen the key, stored as seen; it begins anew when the key, its time, or the host
// has changed, and in another process.
func TestKeysSeen(t *testing.T) {
	var k keysSeen
	key := client.ObjectKey{Namespace: "ns", Name: "r"}
	f := cycle.Facts{Host: cycle.HostFacts{UID: "h-1", Key: true}}
	begin := time.Now()
	look := func(what string, after, want time.Duration) {
		t.Helper()
		if got := k.seenFor(key, f.Host, f.Status.KeySince, begin.Add(after), begin.Add(after+time.Second)); got != want {
			t.Errorf("%s: seen for %s, want %s", what, got, want)
		}
	}
	look("not stored yet", 0, 0)
	f.Status.KeySince = new(metav1.NewTime(begin.Add(time.Hour)))
	look("stored, by another clock", 10*time.Second, 0)
	look("a look later", 30*time.Second, 19*time.Second)
	f.Host.Key = false
	look("lost", 40*time.Second, 0)
	f.Host.Key = true
	look("back", 50*time.Second, 0)
	look("and there", 80*time.Second, 29*time.Second)
	f.Status.KeySince = new(metav1.NewTime(begin))
	look("in another attempt", 90*time.Second, 0)
	f.Host.UID = "h-2"
	look("on another host", 100*time.Second, 0)
	look("and there", 111*time.Second, 10*time.Second)
	k.Forget(key)
	look("forgotten", 120*time.Second, 0)
	k = keysSeen{}
	look("in another process", 150*time.Second, 0)
}

// TestWhoLeftAHostOff: a cycle that stands back because a person keeps its host off has not left that host off.
func TestWhoLeftAHostOff(t *testing.T) {
	request := v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Status: v1alpha1.RebootRemediationStatus{
		Phase: v1alpha1.CoolingDown, PausedSince: &noon, MachineUID: "m-1", Host: &v1alpha1.HostIdentity{UID: "h-1"},
	}}
	m := &machine{object: &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{UID: "m-1"}}}
	for _, online := range []bool{true, false} {
		host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{UID: "h-1"}, Spec: metal3v1.BareMetalHostSpec{Online: online}}
		if got, want := leftOffBy([]v1alpha1.RebootRemediation{request}, m, host), map[bool]string{true: "r"}[online]; got != want {
			t.Errorf("online %t: left off by %q, want %q", online, got, want)
		}
	}
}
