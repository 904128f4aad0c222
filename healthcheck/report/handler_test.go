package report_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/report"
)

// overviewOf returns an overview of one subject with these findings.
func overviewOf(status healthcheck.Status, findings ...healthcheck.Status) report.Overview {
	subject := report.SubjectOverview{Name: "default/w", Status: status}
	for _, f := range findings {
		subject.Findings = append(subject.Findings, report.Finding{Type: "Ready", Status: f, Reason: "R"})
	}
	return report.Overview{Status: status, Reason: "R", Subjects: []report.SubjectOverview{subject}}
}

// serve calls a handler as a server would.
func serve(t *testing.T, method string, overview func(context.Context) (report.Overview, error)) (*http.Response, string) {
	t.Helper()
	return serveBy(t.Context(), t, &report.Handler{Overview: overview}, method)
}

func serveBy(ctx context.Context, t *testing.T, handler http.Handler, method string) (*http.Response, string) {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(ctx, method, "/", nil))
	response := recorder.Result()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func fixed(o report.Overview) func(context.Context) (report.Overview, error) {
	return func(context.Context) (report.Overview, error) { return o, nil }
}

// TestHandlerCodes: 200 requires at least one finding, and that all are True.
func TestHandlerCodes(t *testing.T) {
	const t1, f1, u1, p1, s1 = healthcheck.True, healthcheck.False, healthcheck.Unknown, healthcheck.Progressing, healthcheck.Skipped
	noSubjects := overviewOf(t1)
	noSubjects.Subjects = nil
	twoSubjects := overviewOf(t1, t1)
	twoSubjects.Subjects = append(twoSubjects.Subjects, overviewOf(u1, u1).Subjects...)
	tests := map[string]struct {
		overview func(context.Context) (report.Overview, error)
		code     int
		says     string
	}{
		"healthy":                 {fixed(overviewOf(t1, t1, t1)), 200, `"reason": "R"`},
		"healthy but for skipped": {fixed(overviewOf(t1, t1, s1)), 200, `"reason": "R"`},
		"unhealthy":               {fixed(overviewOf(f1, f1, t1)), 503, `"status": "False"`},
		"unknown":                 {fixed(overviewOf(u1, u1)), 503, `"status": "Unknown"`},
		"progressing":             {fixed(overviewOf(p1, p1)), 503, `"status": "Progressing"`},
		"skipped":                 {fixed(overviewOf(s1, s1)), 503, `"status": "Skipped"`},
		"nothing at all":          {fixed(report.Overview{}), 503, `"reason": "InvalidOverview"`},
		"no subjects":             {fixed(noSubjects), 503, `"reason": "InvalidOverview"`},
		"no findings":             {fixed(overviewOf(t1)), 503, `"reason": "InvalidOverview"`},
		"only skipped findings":   {fixed(overviewOf(t1, s1)), 503, `"reason": "InvalidOverview"`},
		"a finding contradicts":   {fixed(overviewOf(t1, t1, f1)), 503, `"reason": "InvalidOverview"`},
		"a subject contradicts":   {fixed(twoSubjects), 503, `"reason": "InvalidOverview"`},
		"an odd status":           {fixed(overviewOf("Great", "Great")), 503, `"reason": "InvalidOverview"`},
		"an odd finding":          {fixed(overviewOf(t1, t1, "Great")), 503, `"reason": "InvalidOverview"`},
		"an error": {func(context.Context) (report.Overview, error) { return overviewOf(t1, t1), errors.New("no cache") },
			503, `"message": "making the overview: no cache"`},
		"a panic": {func(context.Context) (report.Overview, error) { panic("oh") }, 503, `"message": "making the overview panicked: oh"`},
		"nobody":  {nil, 503, `"reason": "OverviewUnavailable"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			response, body := serve(t, http.MethodGet, tt.overview)
			if response.StatusCode != tt.code || !strings.Contains(body, tt.says) {
				t.Errorf("got code %d and\n%s\nwant code %d and %s", response.StatusCode, body, tt.code, tt.says)
			}
		})
	}
}

// TestHandlerJSON fixes the names of all fields.
func TestHandlerJSON(t *testing.T) {
	since := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	overview := report.Overview{
		Status: healthcheck.False, Reason: "TooLarge", Message: "default/a Ready: larger than 10", Codes: []string{"ERR_QUOTA"}, RecheckAt: since,
		Subjects: []report.SubjectOverview{
			{Name: "default/a", Status: healthcheck.False, Findings: []report.Finding{
				{Type: "Ready", Status: healthcheck.False, Reason: "TooLarge", Message: "larger than 10", Codes: []string{"ERR_QUOTA"}, LastTransitionTime: since},
				{Type: "Synced", Status: healthcheck.True, Reason: "Synced", LastTransitionTime: since},
			}},
			{Name: "default/b", Status: healthcheck.Unknown, Findings: []report.Finding{
				{Status: healthcheck.Unknown, Reason: "Unreadable", Message: "no route to host"},
			}},
		},
	}
	golden := map[string]report.Overview{"testdata/overview.json": overview, "testdata/nothing.json": {Status: healthcheck.Unknown, Reason: "NoSubjects"}}
	for file, overview := range golden {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, got := serve(t, http.MethodGet, fixed(overview))
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// TestHandlerMethods: HEAD is GET without a body, and other methods are refused.
func TestHandlerMethods(t *testing.T) {
	server := httptest.NewServer(&report.Handler{Overview: fixed(overviewOf(healthcheck.True, healthcheck.True))})
	defer server.Close()
	headers, length := map[string]http.Header{}, 0
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		response.Header.Del("Date")
		headers[method] = response.Header
		length = max(length, len(body))
		read := method == http.MethodGet || method == http.MethodHead
		if read != (response.StatusCode == 200) || (!read && response.StatusCode != 405) || (method == http.MethodHead) != (len(body) == 0) {
			t.Errorf("%s: code %d, body %q", method, response.StatusCode, body)
		}
	}
	want := http.Header{
		"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(length)}, "Cache-Control": {"no-store"}, "X-Content-Type-Options": {"nosniff"},
	}
	if diff := cmp.Diff(want, headers[http.MethodGet]); diff != "" {
		t.Errorf("headers of GET (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, headers[http.MethodHead]); diff != "" {
		t.Errorf("headers of HEAD (-want +got):\n%s", diff)
	}
	if allow := headers[http.MethodPost].Get("Allow"); allow != "GET, HEAD" {
		t.Errorf("allowed are %q", allow)
	}
}

// TestHandlerTimeout: an Overview that does not answer in time is not healthy.
func TestHandlerTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		response, body := serve(t, http.MethodGet, func(context.Context) (report.Overview, error) {
			<-time.After(time.Hour)
			return overviewOf(healthcheck.True, healthcheck.True), nil
		})
		if took := time.Since(started); took != 5*time.Second {
			t.Errorf("it took %s", took)
		}
		if response.StatusCode != 503 || !strings.Contains(body, "the overview was not ready within 5s") {
			t.Errorf("got code %d and\n%s", response.StatusCode, body)
		}
		<-time.After(time.Hour)
	})
}

// TestHandlerAsksOnce: an Overview that ignores its context costs one goroutine for any number of requests, and is called again after it has
// returned.
func TestHandlerAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		hung := make(chan struct{})
		handler := &report.Handler{Overview: func(context.Context) (report.Overview, error) {
			asked.Add(1)
			<-hung
			return overviewOf(healthcheck.True, healthcheck.True), nil
		}}
		for range 10 {
			if response, body := serveBy(t.Context(), t, handler, http.MethodGet); response.StatusCode != 503 || !strings.Contains(body, "the overview was not ready within 5s") {
				t.Errorf("got code %d and\n%s", response.StatusCode, body)
			}
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("%d calls hang, want 1", n)
		}
		close(hung)
		synctest.Wait()
		if response, body := serveBy(t.Context(), t, handler, http.MethodGet); response.StatusCode != 200 || asked.Load() != 2 {
			t.Errorf("after %d calls got code %d and\n%s", asked.Load(), response.StatusCode, body)
		}
	})
}

// TestHandlerOutlivesWhoAsksFirst: concurrent requests share an overview, and one that ends early does not cancel it.
func TestHandlerOutlivesWhoAsksFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		handler := &report.Handler{Overview: func(ctx context.Context) (report.Overview, error) {
			asked.Add(1)
			select {
			case <-time.After(time.Second):
				return overviewOf(healthcheck.True, healthcheck.True), nil
			case <-ctx.Done():
				return report.Overview{}, ctx.Err()
			}
		}}
		first, leave := context.WithCancel(t.Context())
		codes := make(chan int, 3)
		for _, ctx := range []context.Context{first, t.Context(), t.Context()} {
			go func() {
				response, _ := serveBy(ctx, t, handler, http.MethodGet)
				codes <- response.StatusCode
			}()
			synctest.Wait()
		}
		leave()
		got := []int{<-codes, <-codes, <-codes}
		if want := []int{503, 200, 200}; !slices.Equal(got, want) || asked.Load() != 1 {
			t.Errorf("the codes are %v by %d calls, want %v by 1", got, asked.Load(), want)
		}
	})
}

// TestHandlerUnwritableTime: an overview that cannot be encoded is not served as 200 with half a body.
func TestHandlerUnwritableTime(t *testing.T) {
	overview := overviewOf(healthcheck.True, healthcheck.True)
	overview.Subjects[0].Findings[0].LastTransitionTime = time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)
	if response, _ := serve(t, http.MethodGet, fixed(overview)); response.StatusCode != 503 {
		t.Errorf("got code %d", response.StatusCode)
	}
}
