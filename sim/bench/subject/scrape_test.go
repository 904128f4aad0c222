package subject

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

func TestScrape(t *testing.T) {
	server := httptest.NewTLSServer(cannedMetrics())
	defer server.Close()
	families, err := newScraper(server.Listener.Addr().String(), token).scrape(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(families["rest_client_requests_total"].GetMetric()); len(families) != 3 || n != 8 {
		t.Errorf("%d families, of requests %d", len(families), n)
	}
	if _, err := newScraper(server.Listener.Addr().String(), "wrong").scrape(t.Context()); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("without the token: %v", err)
	}
}

// TestScrapeOfNoMetrics: unreadable metrics do not count as zero.
func TestScrapeOfNoMetrics(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	defer server.Close()
	if families, err := newScraper(server.Listener.Addr().String(), token).scrape(t.Context()); err == nil {
		t.Errorf("read %v", families)
	}
}

func TestLabel(t *testing.T) {
	m := &dto.Metric{Label: []*dto.LabelPair{{Name: new("code"), Value: new("200")}, {Name: new("method"), Value: new("GET")}}}
	for name, want := range map[string]string{"method": "GET", "code": "200", "host": ""} {
		if got := label(m, name); got != want {
			t.Errorf("label %s is %q, want %q", name, got, want)
		}
	}
}
