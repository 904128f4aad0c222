package subject

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"
)

// TestMain lets this program run subjects, as the benchmark's program does.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "manager" {
		os.Exit(m.Run())
	}
	if err := start(ctrl.SetupSignalHandler(), os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// start runs a subject, either a real one or one of the tests.
func start(ctx context.Context, args []string) error {
	if slices.Contains(args, "--subject="+canned) {
		return serveCanned(ctx, args)
	}
	return Main(ctx, args)
}

const (
	// canned is a subject that is ready at once and always returns the same metrics, to any caller with the token.
	canned = "canned"
	token  = "secret"
	// metrics are those of a process that has sent requests to the management cluster and to a workload cluster.
	metrics = `# HELP rest_client_requests_total Number of HTTP requests, partitioned by status code, method, and host.
# TYPE rest_client_requests_total counter
rest_client_requests_total{code="200",host="127.0.0.1:6443",method="GET"} 10
rest_client_requests_total{code="404",host="127.0.0.1:6443",method="GET"} 1
rest_client_requests_total{code="200",host="10.0.0.1:20000",method="GET"} 5
rest_client_requests_total{code="200",host="127.0.0.1:6443",method="PATCH"} 3
rest_client_requests_total{code="409",host="127.0.0.1:6443",method="PATCH"} 1
rest_client_requests_total{code="200",host="127.0.0.1:6443",method="PUT"} 2
rest_client_requests_total{code="200",host="10.0.0.1:20000",method="DELETE"} 1
rest_client_requests_total{code="201",host="127.0.0.1:6443",method="POST"} 7
# HELP go_memstats_alloc_bytes_total Total number of bytes allocated in heap until now, even if released already.
# TYPE go_memstats_alloc_bytes_total counter
go_memstats_alloc_bytes_total 1.25e+06
# HELP other_requests_total Not of a client.
# TYPE other_requests_total counter
other_requests_total{method="GET"} 1000
`
)

// serveCanned runs the subject canned.
func serveCanned(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	for _, unused := range []string{"kubeconfig", "subject"} {
		set.String(unused, "", "")
	}
	address := set.String("metrics-bind-address", "", "")
	probe := set.String("health-probe-bind-address", "", "")
	if err := set.Parse(args); err != nil {
		return err
	}
	said, err := listen(*address, cannedMetrics())
	if err != nil {
		return err
	}
	said.StartTLS()
	defer said.Close()
	ready, err := listen(*probe, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err != nil {
		return err
	}
	ready.Start()
	defer ready.Close()
	<-ctx.Done()
	return nil
}

func listen(address string, handler http.Handler) (*httptest.Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	return &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}, nil
}

func cannedMetrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/metrics" || req.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, metrics)
	})
}
