package cycle

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// decideAll stores whatever is to be stored at one moment, and returns the decision after that.
func decideAll(f *Facts, now time.Time) Decision {
	for {
		d := Decide(*f, now)
		if !d.Changed {
			return d
		}
		f.Status = d.Status
	}
}

// TestProofOnOneClock: the host said off when a leader set the key. The leader that takes over has another clock, so it measures the time in
// which the host settles by itself.
func TestProofOnOneClock(t *testing.T) {
	for _, skew := range []time.Duration{-time.Hour, -80 * time.Second, 0, 80 * time.Second, time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			f := in(v1alpha1.PoweringOff, keyed, keySeen, off)
			f.Spec.PowerOffTimeoutSeconds = new(int32(7200))
			took := noon.Add(2 * time.Second)
			var asked, proven time.Duration
			for after := time.Duration(0); after < 5*time.Minute && proven == 0; after += time.Second {
				now := took.Add(skew).Add(after)
				f.Host.KeySeenFor = after
				d := decideAll(&f, now)
				if d.Action == SetKey {
					// Its operator answers at once, from what it knows.
					asked, f.Host.ProbedAt = after, d.ProbedAt
				}
				if d = decideAll(&f, now); f.Status.Phase != v1alpha1.PoweringOff {
					proven = after
				}
			}
			if asked != settleTime || proven != settleTime || f.Status.PoweredOffAt == nil {
				t.Errorf("asked again after %s, proven off after %s (%s)", asked, proven, f.Status.Phase)
			}
		})
	}
}

// TestFirstAnswerIsNoProof: a leader whose clock is ahead set the key and asked; one whose clock is right stores that the key is there. The answer
// to the first request proves nothing, however long ago that was.
func TestFirstAnswerIsNoProof(t *testing.T) {
	f := in(v1alpha1.PoweringOff, keyed, off, probedAt(80*time.Second))
	if d := decideAll(&f, noon.Time); d.Action != Nothing || f.Status.KeySince == nil {
		t.Fatalf("the key is stored as seen since %v, and next is %s", f.Status.KeySince, d.Action)
	}
	f.Host.KeySeenFor = settleTime
	if d := decideAll(&f, noon.Add(settleTime)); d.Action != SetKey || f.Status.Phase != v1alpha1.PoweringOff {
		t.Errorf("in phase %s, after 75 s, next is %q", f.Status.Phase, d.Action)
	}
}

// TestPhaseSinceTheFuture: a leader whose clock was ahead stored when a phase began. The phase takes no longer than its own time from now.
func TestPhaseSinceTheFuture(t *testing.T) {
	for i := range phases {
		p := &phases[i]
		if p.clock == nil {
			continue
		}
		f := in(p.name)
		if p.name == v1alpha1.Pending {
			f.Host.Missing = "gone"
		}
		if p.name == v1alpha1.Fenced {
			nodeUnreadable(&f)
		}
		*p.clock(&f.Status) = new(metav1.NewTime(noon.Add(24 * time.Hour)))
		decideAll(&f, noon.Time)
		limit := p.limit(&draft{f: f, s: f.Status})
		if at := *p.clock(&f.Status); at == nil || at.Add(p.limit(&draft{f: f, s: f.Status})).After(noon.Add(limit)) {
			t.Errorf("%s counts from %v", p.name, at)
		}
	}
}
