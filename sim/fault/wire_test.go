package fault_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/sim/fault"
)

// server answers requests like an API server, and counts the writes.
type server struct{ writes int }

func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.writes++
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}")), Request: req}, nil
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

const machine = "/apis/cluster.x-k8s.io/v1beta2/namespaces/a/machines/m"

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
