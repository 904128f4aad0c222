package reboot

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	look("set anew", 90*time.Second, 0)
	f.Host.UID = "h-2"
	look("on another host", 100*time.Second, 0)
	look("and there", 111*time.Second, 10*time.Second)
	k.Forget(key)
	look("forgotten", 120*time.Second, 0)
	k = keysSeen{}
	look("in another process", 150*time.Second, 0)
}
