package checks_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// TestErrorsOfNetworks: if an API server resets connections, the text is the same each time. The error of net/http
// contains the local port.
func TestErrorsOfNetworks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}))
	defer server.Close()
	ask := func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api?labelSelector=app", nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			return resp.Body.Close()
		}
		return err
	}
	c := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, _ client.WithWatch, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
			return ask(ctx)
		},
		List: func(ctx context.Context, _ client.WithWatch, _ client.ObjectList, _ ...client.ListOption) error {
			return ask(ctx)
		},
	}).Build()
	problem := strings.TrimPrefix(server.URL, "http://") + " closes connections early"
	for range 3 {
		_, one := run(t, checks.One("web", checks.Source, web, checks.Deployment), c, nil)
		if want := "getting Deployment shop/web: " + problem; one == nil || one.Error() != want {
			t.Errorf("got  %v\nwant %s", one, want)
		}
		_, each := run(t, checks.Each("pods", checks.Source, pods, checks.Pod), c, nil)
		if want := "listing for kind Pod: " + problem; each == nil || each.Error() != want {
			t.Errorf("got  %v\nwant %s", each, want)
		}
	}
}
