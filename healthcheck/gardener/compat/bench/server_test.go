package bench

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// serverCPU returns the processor time of the API server, from its own metrics.
func (w *world) serverCPU(b *testing.B) time.Duration {
	b.Helper()
	reach, err := rest.HTTPClientFor(w.Config)
	must(b, err)
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, strings.TrimSuffix(w.Config.Host, "/")+"/metrics", nil)
	must(b, err)
	response, err := reach.Do(request)
	must(b, err)
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "process_cpu_seconds_total "); ok {
			seconds, err := strconv.ParseFloat(value, 64)
			must(b, err)
			return time.Duration(seconds * float64(time.Second))
		}
	}
	b.Fatalf("the API server does not tell what it uses (%s): %v", response.Status, lines.Err())
	return 0
}
