package app

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// waiting is a manager that waits for the lease.
type waiting struct {
	ctrl.Manager
	elected chan struct{}
	added   []manager.Runnable
}

func (w *waiting) Elected() <-chan struct{} { return w.elected }

func (w *waiting) Add(one manager.Runnable) error {
	w.added = append(w.added, one)
	return nil
}

// TestStandbyShowsThatItWaits: it shows that for each of its controllers, until it leads.
func TestStandbyShowsThatItWaits(t *testing.T) {
	g, standby, ns := NewWithT(t), &waiting{elected: make(chan struct{})}, "shown-by-a-standby"
	o := DefaultOptions()
	o.Namespace, o.Controllers = ns, []string{"reboot", "remediation"}
	if err := addMetrics(standby, o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- standby.added[0].Start(ctx) }()
	leads := func(value int) []string {
		var want []string
		for _, name := range o.Controllers {
			want = append(want, fmt.Sprintf(`sickbay_leader controller=%q watch_namespace=%q watch_filter="" %d`, name, ns, value))
		}
		return want
	}
	g.Eventually(func() []string { return gathered(t, ns) }).Should(ConsistOf(leads(0)))
	close(standby.elected)
	if diff := cmp.Diff(leads(1), gathered(t, ns)); diff != "" {
		t.Errorf("the leader (-want +got):\n%s", diff)
	}
	if got := gathered(t, runtime.Version()); len(got) != 1 {
		t.Errorf("what was built: %v", got)
	}
	cancel()
	if err := <-ended; err != nil || len(gathered(t, ns)) > 0 {
		t.Error("series are left", err)
	}
}
