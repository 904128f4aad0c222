package fault_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/sim/fault"
)

// server answers requests like an API server, and counts the writes.
type server struct {
	writes int
	events io.Reader
}

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}"))}
	if req.Method == http.MethodGet {
		answer.Body = io.NopCloser(s.events)
		return answer, nil
	}
	s.writes++
	return answer, nil
}

// wired returns a client that reaches the server through the wire.
func wired(w *fault.Wire, s *server) *http.Client {
	w.Role = func(resource, name string) string {
		if resource == "events" {
			return ""
		}
		return resource + " " + name
	}
	return &http.Client{Transport: w.Config(&rest.Config{}).WrapTransport(s)}
}

func request(t *testing.T, method, path, contentType, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "https://server"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	return req
}

const (
	machine = "/apis/cluster.x-k8s.io/v1beta2/namespaces/a/machines/m"
	watched = "/apis/cluster.x-k8s.io/v1beta2/namespaces/a/machines?watch=true"
)

func do(t *testing.T, c *http.Client, method, path, contentType, body string) (int, error) {
	t.Helper()
	answer, err := c.Do(request(t, method, path, contentType, body))
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

func TestWhatPassesIsRecorded(t *testing.T) {
	w := &fault.Wire{}
	c := wired(w, &server{})
	for _, write := range [][4]string{
		{http.MethodPatch, machine + "/status?fieldManager=x&force=true", "application/apply-patch+yaml", "{}"},
		{http.MethodPatch, machine + "/status?fieldManager=x", "application/json-patch+json", "[]"},
		{http.MethodPatch, machine + "/status?fieldManager=x", "application/json-patch+json", "[]"},
		{http.MethodPost, "/apis/sickbay.dev/v1alpha1/namespaces/a/machineremediations?fieldManager=x", "application/json", `{"metadata":{"name":"r"}}`},
		{http.MethodPut, "/api/v1/nodes/n/status", "application/json", "{}"},
		{http.MethodDelete, machine, "", ""},
		{http.MethodPost, "/apis/events.k8s.io/v1/namespaces/a/events", "application/json", "{}"},
	} {
		if _, err := do(t, c, write[0], write[1], write[2], write[3]); err != nil {
			t.Fatal(err)
		}
	}
	want := []fault.Moment{
		{What: "apply status by x machines m", Nth: 1}, {What: "patch status by x machines m", Nth: 1}, {What: "patch status by x machines m", Nth: 2},
		{What: "create machineremediations r", Nth: 1}, {What: "update status nodes n", Nth: 1}, {What: "delete machines m", Nth: 1},
	}
	if diff := cmp.Diff(want, w.Moments()); diff != "" {
		t.Error(diff)
	}
}

func TestMishapsOfWrites(t *testing.T) {
	for mishap, want := range map[fault.Mishap]struct {
		// writes is how many of three writes arrive: one before the mishap, one with it, and one after.
		writes, code int
		crashed      bool
	}{
		fault.CrashBefore: {writes: 1, crashed: true},
		fault.CrashAfter:  {writes: 2, crashed: true},
		fault.AnswerLost:  {writes: 3},
		fault.Conflict:    {writes: 2, code: http.StatusConflict},
		fault.ServerError: {writes: 2, code: http.StatusInternalServerError},
		fault.Delayed:     {writes: 3, code: http.StatusOK},
		fault.Dropped:     {writes: 3, code: http.StatusOK},
	} {
		t.Run(string(mishap), func(t *testing.T) {
			killed := false
			s, w := &server{}, &fault.Wire{Moment: fault.Moment{What: "delete machines m", Nth: 2}, Mishap: mishap}
			w.Kill = context.CancelFunc(func() { killed = true })
			c := wired(w, s)
			if _, err := do(t, c, http.MethodDelete, machine, "", ""); err != nil || w.Happened() {
				t.Fatalf("the first write: %v, happened %t", err, w.Happened())
			}
			code, err := do(t, c, http.MethodDelete, machine, "", "")
			if (err == nil) != (want.code != 0) || code != want.code || !w.Happened() {
				t.Errorf("the second write: %d, %v, happened %t", code, err, w.Happened())
			}
			_, err = do(t, c, http.MethodDelete, machine, "", "")
			if errors.Is(err, fault.ErrCrashed) != want.crashed {
				t.Errorf("the third write: %v", err)
			}
			if s.writes != want.writes || killed != want.crashed || w.Crashed() != want.crashed {
				t.Errorf("%d writes, killed %t, crashed %t", s.writes, killed, w.Crashed())
			}
		})
	}
}

// TestMishapsOfEvents reads three events, and disturbs the second. The first two come at once, the third later.
func TestMishapsOfEvents(t *testing.T) {
	const first, second, third = `{"type":"ADDED","object":{"metadata":{"name":"m"}}}`, `{"type":"MODIFIED","object":{"metadata":{"name":"m"}}}`, `{"type":"DELETED","object":{"metadata":{"name":"m"}}}`
	for mishap, want := range map[fault.Mishap][]string{
		fault.Delayed: {"0s " + first, "2s " + second, "2s " + third},
		fault.Dropped: {"0s " + first, `2s {"object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version","reason":"Expired","code":410},"type":"ERROR"}`},
	} {
		t.Run(string(mishap), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reader, writer := io.Pipe()
				w := &fault.Wire{Moment: fault.Moment{What: "event MODIFIED of machines m", Nth: 1, Event: true}, Mishap: mishap}
				c := wired(w, &server{events: reader})
				var writing sync.WaitGroup
				writing.Go(func() {
					_, _ = io.WriteString(writer, first+"\n"+second)
					<-time.After(time.Second)
					_, _ = io.WriteString(writer, third)
					<-time.After(time.Minute)
					_ = writer.Close()
				})
				if diff := cmp.Diff(want, read(t, c)); diff != "" {
					t.Error(diff)
				}
				_ = reader.Close()
				writing.Wait()
			})
		})
	}
}

// read returns the events of a watch, each with the time of its arrival.
func read(t *testing.T, c *http.Client) []string {
	t.Helper()
	began := time.Now()
	answer, err := c.Do(request(t, http.MethodGet, watched, "", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var events []string
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		events = append(events, time.Since(began).String()+" "+lines.Text())
	}
	return events
}
