package healthcheck_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// overviewOf has one source with these findings.
func overviewOf(status healthcheck.Status, findings ...healthcheck.Status) healthcheck.Overview {
	source := healthcheck.SourceOverview{Name: "default/w", Status: status}
	for _, f := range findings {
		source.Findings = append(source.Findings, healthcheck.Finding{Type: "Ready", Status: f, Reason: "R"})
	}
	return healthcheck.Overview{Status: status, Reason: "R", Sources: []healthcheck.SourceOverview{source}}
}

// serve asks a handler, as a server would.
func serve(t *testing.T, method string, overview func(context.Context) (healthcheck.Overview, error)) (*http.Response, string) {
	t.Helper()
	recorder := httptest.NewRecorder()
	healthcheck.Handler{Overview: overview}.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), method, "/", nil))
	response := recorder.Result()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func fixed(o healthcheck.Overview) func(context.Context) (healthcheck.Overview, error) {
	return func(context.Context) (healthcheck.Overview, error) { return o, nil }
}

// TestHandlerCodes: 200 takes a True of everything that is there, and something that is there.
func TestHandlerCodes(t *testing.T) {
	const t1, f1, u1, p1, s1 = healthcheck.True, healthcheck.False, healthcheck.Unknown, healthcheck.Progressing, healthcheck.Skipped
	noSources := overviewOf(t1)
	noSources.Sources = nil
	twoSources := overviewOf(t1, t1)
	twoSources.Sources = append(twoSources.Sources, overviewOf(u1, u1).Sources...)
	tests := map[string]struct {
		overview func(context.Context) (healthcheck.Overview, error)
		code     int
		says     string
	}{
		"healthy":                 {fixed(overviewOf(t1, t1, t1)), 200, `"reason": "R"`},
		"healthy but for skipped": {fixed(overviewOf(t1, t1, s1)), 200, `"reason": "R"`},
		"unhealthy":               {fixed(overviewOf(f1, f1, t1)), 503, `"status": "False"`},
		"unknown":                 {fixed(overviewOf(u1, u1)), 503, `"status": "Unknown"`},
		"progressing":             {fixed(overviewOf(p1, p1)), 503, `"status": "Progressing"`},
		"skipped":                 {fixed(overviewOf(s1, s1)), 503, `"status": "Skipped"`},
		"nothing at all":          {fixed(healthcheck.Overview{}), 503, `"reason": "InvalidOverview"`},
		"no sources":              {fixed(noSources), 503, `"reason": "InvalidOverview"`},
		"no findings":             {fixed(overviewOf(t1)), 503, `"reason": "InvalidOverview"`},
		"only skipped findings":   {fixed(overviewOf(t1, s1)), 503, `"reason": "InvalidOverview"`},
		"a finding contradicts":   {fixed(overviewOf(t1, t1, f1)), 503, `"reason": "InvalidOverview"`},
		"a source contradicts":    {fixed(twoSources), 503, `"reason": "InvalidOverview"`},
		"an odd status":           {fixed(overviewOf("Great", "Great")), 503, `"reason": "InvalidOverview"`},
		"an odd finding":          {fixed(overviewOf(t1, t1, "Great")), 503, `"reason": "InvalidOverview"`},
		"an error": {func(context.Context) (healthcheck.Overview, error) { return overviewOf(t1, t1), errors.New("no cache") },
			503, `"message": "making the overview: no cache"`},
		"a panic": {func(context.Context) (healthcheck.Overview, error) { panic("oh") }, 503, `"message": "making the overview panicked: oh"`},
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

// TestHandlerJSON pins the names of all fields down.
func TestHandlerJSON(t *testing.T) {
	since := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	overview := healthcheck.Overview{
		Status: healthcheck.False, Reason: "TooLarge", Message: "default/a Ready: larger than 10", Codes: []string{"ERR_QUOTA"}, RecheckAt: since,
		Sources: []healthcheck.SourceOverview{
			{Name: "default/a", Status: healthcheck.False, Findings: []healthcheck.Finding{
				{Type: "Ready", Status: healthcheck.False, Reason: "TooLarge", Message: "larger than 10", Codes: []string{"ERR_QUOTA"}, LastTransitionTime: since},
				{Type: "Synced", Status: healthcheck.True, Reason: "Synced", LastTransitionTime: since},
			}},
			{Name: "default/b", Status: healthcheck.Unknown, Findings: []healthcheck.Finding{
				{Status: healthcheck.Unknown, Reason: "Unreadable", Message: "no route to host"},
			}},
		},
	}
	golden := map[string]healthcheck.Overview{"testdata/overview.json": overview, "testdata/nothing.json": {Status: healthcheck.Unknown, Reason: "NoSources"}}
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

// TestHandlerMethods: HEAD is GET without a body, and nothing else is answered.
func TestHandlerMethods(t *testing.T) {
	server := httptest.NewServer(healthcheck.Handler{Overview: fixed(overviewOf(healthcheck.True, healthcheck.True))})
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

// TestHandlerTimeout: whoever does not answer in time is not healthy.
func TestHandlerTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		response, body := serve(t, http.MethodGet, func(context.Context) (healthcheck.Overview, error) {
			<-time.After(time.Hour)
			return overviewOf(healthcheck.True, healthcheck.True), nil
		})
		if took := time.Since(started); took != healthcheck.DefaultHandlerTimeout {
			t.Errorf("it took %s", took)
		}
		if response.StatusCode != 503 || !strings.Contains(body, "making the overview did not answer within 5s") {
			t.Errorf("got code %d and\n%s", response.StatusCode, body)
		}
		<-time.After(time.Hour)
	})
}

// TestHandlerUnwritableTime is not served as 200 with half a body.
func TestHandlerUnwritableTime(t *testing.T) {
	overview := overviewOf(healthcheck.True, healthcheck.True)
	overview.Sources[0].Findings[0].LastTransitionTime = time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)
	if response, _ := serve(t, http.MethodGet, fixed(overview)); response.StatusCode != 503 {
		t.Errorf("got code %d", response.StatusCode)
	}
}

// TestCompare is the order of Merge.
func TestCompare(t *testing.T) {
	all := []healthcheck.Status{healthcheck.False, healthcheck.Unknown, healthcheck.Progressing, healthcheck.True, healthcheck.Skipped}
	for i, a := range all {
		for j, b := range all {
			deadline := time.Unix(1, 0)
			merged := healthcheck.Merge(time.Unix(0, 0), healthcheck.Result{Status: a, Deadline: deadline}, healthcheck.Result{Status: b, Deadline: deadline})
			if got := a.Compare(b); (got < 0) != (i < j) || (got == 0) != (i == j) || (got < 0 && merged.Status != a) {
				t.Errorf("%s compared with %s is %d; merged they are %s", a, b, got, merged.Status)
			}
		}
	}
	if healthcheck.Status("").Compare(healthcheck.Unknown) != 0 || healthcheck.Status("Great").Compare(healthcheck.True) >= 0 {
		t.Error("what is none of the closed set is not taken for Unknown")
	}
}
