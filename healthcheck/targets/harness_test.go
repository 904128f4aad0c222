package targets_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

func TestMain(m *testing.M) { env.Main(m) }

// patience is far longer than anything here takes that does not hang on purpose.
const patience = 30 * time.Second

// firstBackoff is the back-off after the first failure.
const firstBackoff = 2 * time.Second

// at returns a target with a configuration.
func at(key, version string, cfg *rest.Config) targets.Access {
	return targets.Access{Key: key, Version: version, Config: func(context.Context) (*rest.Config, error) { return cfg, nil }}
}

// one resolves every object to the same target.
func one(target targets.Access) func(context.Context, string) (targets.Access, error) {
	return func(context.Context, string) (targets.Access, error) { return target, nil }
}

func newClock() *testingclock.FakeClock {
	return testingclock.NewFakeClock(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
}

// reader returns a client for an object.
func reader(t testing.TB, c *targets.Clients[string], obj string) client.Reader {
	t.Helper()
	r, err := c.Target(t.Context(), obj)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// get reads the ConfigMap that each server has.
func get(t testing.TB, c *targets.Clients[string], obj string) error {
	t.Helper()
	return getWithin(t.Context(), t, c, obj)
}

func getWithin(ctx context.Context, t testing.TB, c *targets.Clients[string], obj string) error {
	t.Helper()
	r, err := c.Target(ctx, obj)
	if err != nil {
		t.Fatal(err)
	}
	return r.Get(ctx, aConfigMap, empty())
}

// text returns the text of an error; empty without one.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// stranger returns a configuration that trusts a certificate that no server has.
func stranger(t testing.TB) rest.TLSClientConfig {
	t.Helper()
	ca, _, err := cert.GenerateSelfSignedCertKey("stranger", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rest.TLSClientConfig{CAData: ca}
}

const aConfigMapPath = "/api/v1/namespaces/default/configmaps/c"

var aConfigMap = client.ObjectKey{Namespace: "default", Name: "c"}

func empty() *corev1.ConfigMap { return &corev1.ConfigMap{} }

type toggle = atomic.Bool

// answers are those of an API server with one ConfigMap.
var answers = map[string]string{
	"/version": `{"major":"1","minor":"36"}`,
	"/api":     `{"kind":"APIVersions","apiVersion":"v1","versions":["v1"]}`,
	"/apis":    `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
	"/api/v1": `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[
		{"name":"configmaps","namespaced":true,"kind":"ConfigMap","verbs":["get","list"]}]}`,
	aConfigMapPath: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"default"}}`,
}

// server is an API server that can be made to misbehave.
type server struct {
	*httptest.Server
	requests sync.Map // path -> *atomic.Int32
	open     atomic.Int32
	opened   atomic.Int32
	ended    chan struct{}
}

// serve starts a server. An intercept that hangs must also wait for ended.
func serve(t testing.TB, intercept func(*server, http.ResponseWriter, *http.Request) bool) *server {
	t.Helper()
	s := &server{ended: make(chan struct{})}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := s.requests.LoadOrStore(r.URL.Path, new(atomic.Int32))
		n.(*atomic.Int32).Add(1)
		if intercept != nil && intercept(s, w, r) {
			return
		}
		answer, ok := answers[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			answer = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`
		}
		fmt.Fprint(w, answer)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.open.Add(1)
			s.opened.Add(1)
		case http.StateClosed, http.StateHijacked:
			s.open.Add(-1)
		default:
		}
	}
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(func() {
		close(s.ended)
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// count returns the number of requests for a path.
func (s *server) count(path string) int {
	n, ok := s.requests.Load(path)
	if !ok {
		return 0
	}
	return int(n.(*atomic.Int32).Load())
}

// config returns the configuration of a client that trusts the server.
func (s *server) config() *rest.Config {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return &rest.Config{Host: s.URL, BearerToken: "t", TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
}

// hang waits until the test or the request is over.
func hang(s *server, _ http.ResponseWriter, r *http.Request) bool {
	select {
	case <-s.ended:
	case <-r.Context().Done():
	}
	return true
}

// refuse answers that the credential is invalid.
func refuse(_ *server, w http.ResponseWriter, _ *http.Request) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401}`)
	return true
}

// trickle starts an answer to a read, and does not continue.
func trickle(s *server, w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != aConfigMapPath {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"kind":`)
	w.(http.Flusher).Flush()
	return hang(s, w, r)
}

// pausing starts an answer to a read, and continues when the test says so.
func pausing(begun, proceed chan struct{}) func(*server, http.ResponseWriter, *http.Request) bool {
	return func(s *server, _ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == aConfigMapPath {
			begun <- struct{}{}
			select {
			case <-proceed:
			case <-s.ended:
			}
		}
		return false
	}
}

// mute returns an address that accepts connections, and never answers.
func mute(t testing.TB, begun chan<- struct{}) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			begun <- struct{}{}
		}
	}()
	return listener.Addr().String()
}

// nobody is an address where nothing listens. Another server may take a port that was free a moment ago; this one is
// never assigned dynamically.
const nobody = "https://127.0.0.1:1"

// labelled labels the goroutines that a test starts from now on, directly or not: those of earlier tests may still be
// ending.
func labelled(t *testing.T) {
	t.Helper()
	pprof.SetGoroutineLabels(pprof.WithLabels(t.Context(), pprof.Labels("test", t.Name())))
}

// clientGoroutines counts the goroutines of a test that serve connections of HTTP clients.
func clientGoroutines(test string) int {
	return goroutines(test, "persistConn", "ClientConnReadLoop", "clientConnReadLoop")
}

// goroutines counts the goroutines of a test that are in one of these functions.
func goroutines(test string, functions ...string) int {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1)
	count := 0
	for group := range strings.SplitSeq(profile.String(), "\n\n") {
		head, stack, _ := strings.Cut(group, " @ ")
		several, err := strconv.Atoi(head[strings.LastIndex(head, "\n")+1:])
		if err != nil || !strings.Contains(stack, fmt.Sprintf("%q:%q", "test", test)) {
			continue
		}
		if slices.ContainsFunc(functions, func(f string) bool { return strings.Contains(stack, f) }) {
			count += several
		}
	}
	return count
}
