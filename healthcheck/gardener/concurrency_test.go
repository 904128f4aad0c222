package gardener_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// crowd is how many runs there are at once.
const crowd = 200

// meeting makes all runs wait for each other, after each has got its client and before any
// has used it. If two runs shared an instance, it would have the client of the last.
type meeting struct {
	present sync.WaitGroup
	runs    atomic.Int64
	wrong   atomic.Int64
}

// compare records whether the client of a check is that of the run's cluster, once all runs
// have got theirs.
func (m *meeting) compare(c *client.Client, request types.NamespacedName) {
	m.present.Done()
	m.present.Wait()
	m.runs.Add(1)
	if (*c).(*cluster).name != request.Namespace {
		m.wrong.Add(1)
	}
}

// meetingFive and the types below are checks of all generations that meet.
type meetingFive struct {
	fiveMethods

	meeting *meeting
}

func (m *meetingFive) Check(_ context.Context, request types.NamespacedName) (*gardener.SingleCheckResult, error) {
	m.meeting.compare(&m.shoot, request)
	return &gardener.SingleCheckResult{Status: statusTrue}, nil
}
func (m *meetingFive) DeepCopy() gardener.HealthCheck { c := *m; return &c }

type meetingToday struct {
	todays

	meeting *meeting
}

func (m *meetingToday) Check(_ context.Context, request types.NamespacedName) (*gardener.SingleCheckResult, error) {
	m.meeting.compare(&m.target, request)
	return &gardener.SingleCheckResult{Status: statusTrue}, nil
}

func (m *meetingToday) DeepCopy() gardener.HealthCheck { c := *m; return &c }

type theirMeeting struct{ meetingToday }

func (m *theirMeeting) Check(ctx context.Context, request types.NamespacedName) (*theirResult, error) {
	_, err := m.meetingToday.Check(ctx, request)
	return &theirResult{Status: statusTrue}, err
}

// Checks that store their clients never get the client of another cluster, however many
// runs there are at once.
func TestManyRunsTwoTargets(t *testing.T) {
	checks := map[string]func(*meeting) gardener.HealthCheck{
		"five methods": func(m *meeting) gardener.HealthCheck { return &meetingFive{meeting: m} },
		"today":        func(m *meeting) gardener.HealthCheck { return &meetingToday{meeting: m} },
		"of Gardener's module": func(m *meeting) gardener.HealthCheck {
			return gardener.Of(func() *theirMeeting { return &theirMeeting{meetingToday{meeting: m}} })
		},
	}
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			m := &meeting{}
			m.present.Add(crowd)
			one, two := newHarness(t, check(m)), newHarness(t)
			one.Targets = healthcheck.TargetsFunc[client.Object](func(_ context.Context, obj client.Object) (client.Reader, error) {
				return &cluster{name: obj.GetNamespace()}, nil
			})
			reconciler, err := one.Reconciler(one.env.Client)
			if err != nil {
				t.Fatal(err)
			}
			reconciler.CheckConcurrency = crowd
			errs := make([]error, crowd)
			var runs sync.WaitGroup
			for i := range crowd {
				worker := []client.Object{one.worker, two.worker}[i%2]
				runs.Go(func() {
					_, errs[i] = reconciler.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(worker)})
				})
			}
			runs.Wait()
			for _, err := range errs {
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := fmt.Sprint(m.runs.Load(), m.wrong.Load()); got != fmt.Sprint(crowd, 0) {
				t.Errorf("runs, and how many of them looked at the wrong cluster: %s", got)
			}
		})
	}
}
