package dashboard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

// given is a fleet that counts looks, and may fail.
type given struct {
	mu    sync.Mutex
	facts *explain.Facts
	err   error
	looks int
}

func (g *given) Look(context.Context, string) (explain.Facts, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.looks++
	if g.err != nil {
		return explain.Facts{}, g.err
	}
	return *g.facts, nil
}

// Owners knows of no owner, except that all are paused.
func (g *given) Owners(context.Context, int) func(*clusterv1.Machine, *clusterv1.Cluster) (silence.Facts, error) {
	return func(*clusterv1.Machine, *clusterv1.Cluster) (silence.Facts, error) {
		return silence.Facts{Owner: &metav1.ObjectMeta{Annotations: map[string]string{clusterv1.PausedAnnotation: ""}}}, nil
	}
}

func (g *given) set(facts *explain.Facts, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.facts, g.err = facts, err
}

func (g *given) looked() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.looks
}

// running is a dashboard that runs until the test ends.
type running struct {
	*Dashboard
	fleet   *given
	clock   *clocktesting.FakePassiveClock
	handler http.Handler
}

func run(t testing.TB, facts *explain.Facts) *running {
	t.Helper()
	r := &running{fleet: &given{facts: facts}, clock: clocktesting.NewFakePassiveClock(explaintest.Noon)}
	var err error
	if r.Dashboard, err = New(Options{Fleet: r.fleet, Clock: r.clock}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(ended)
		_ = r.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	r.handler = r.Handler()
	return r
}

// get asks for a page.
func (r *running) get(t testing.TB, url string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r.handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, url, nil))
	return w
}
