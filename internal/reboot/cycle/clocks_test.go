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
