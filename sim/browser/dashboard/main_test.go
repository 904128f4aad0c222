package dashboard_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	clocktesting "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/dashboard"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/sim/browser"
)

var (
	chromium *browser.Browser
	axe      string
)

func TestMain(m *testing.M) {
	os.Exit(browser.Main(m, func(b *browser.Browser, script string) { chromium, axe = b, script }))
}

// stage is a dashboard of a fleet that can change.
type stage struct {
	// address is the address of the first page, without the slash at its end.
	address string
	handler http.Handler
	server  *httptest.Server

	mu    sync.Mutex
	facts *explain.Facts
	err   error
}

// Look returns what the dashboard sees.
func (s *stage) Look(context.Context, string) (explain.Facts, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.facts, s.err
}

// Owners knows of no owner.
func (s *stage) Owners(context.Context, int) func(*clusterv1.Machine, *clusterv1.Cluster) (silence.Facts, error) {
	return func(*clusterv1.Machine, *clusterv1.Cluster) (silence.Facts, error) { return silence.Facts{}, nil }
}

// becomes makes the dashboard see another fleet from now on, or an error.
func (s *stage) becomes(facts *explain.Facts, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.facts, s.err = facts, err
}

// serve serves the dashboard of a fleet, at noon.
func serve(t *testing.T, facts *explain.Facts) *stage {
	t.Helper()
	s := &stage{facts: facts}
	d, err := dashboard.New(dashboard.Options{Fleet: s, Clock: clocktesting.NewFakePassiveClock(explaintest.Noon)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	s.handler = d.Handler()
	s.server = httptest.NewServer(s.handler)
	s.address = s.server.URL
	t.Cleanup(func() {
		s.cut()
		end()
		if err := <-ended; err != nil {
			t.Errorf("running the dashboard: %v", err)
		}
	})
	return s
}

// still serves the same pages, but none that reloads itself: a page cannot be examined while it reloads.
func (s *stage) still(t *testing.T) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(noRefresh{w}, r) }))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// noRefresh removes the header that makes a page reload itself.
type noRefresh struct{ http.ResponseWriter }

func (n noRefresh) WriteHeader(status int) {
	n.Header().Del("Refresh")
	n.ResponseWriter.WriteHeader(status)
}

func (n noRefresh) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// cut stops the server and breaks all connections.
func (s *stage) cut() {
	_ = s.server.Listener.Close()
	s.server.CloseClientConnections()
	s.server.Close()
}

// mend starts the server again at the same address.
func (s *stage) mend(t *testing.T) {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", s.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewUnstartedServer(s.handler)
	s.server.Listener = listener
	s.server.Start()
}
