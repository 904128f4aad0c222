package kubelets_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// endpoint passes requests on to an API server, as a load balancer before it does, with an administrator's rights.
type endpoint struct {
	*httptest.Server

	// delay is how long each request waits before it is passed on, in nanoseconds.
	delay atomic.Int64
}

// newEndpoint returns an endpoint that adds an offset to all times in what it passes on.
func newEndpoint(config *rest.Config, offset time.Duration) (*endpoint, error) {
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	server, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	e := &endpoint{}
	proxy := &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1, // watches
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(server)
			if offset != 0 {
				shift(r.Out, offset)
			}
		},
	}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(time.Duration(e.delay.Load())):
			proxy.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	return e, nil
}

// slow makes the endpoint slow. Open connections end, as if another load balancer had taken over.
func (e *endpoint) slow(delay time.Duration) {
	e.delay.Store(int64(delay))
	e.CloseClientConnections()
}

// kubeconfig returns a kubeconfig with which anybody reaches the API server through the endpoint.
func (e *endpoint) kubeconfig() ([]byte, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters["endpoint"] = &clientcmdapi.Cluster{Server: e.URL}
	config.Contexts["endpoint"] = &clientcmdapi.Context{Cluster: "endpoint"}
	config.CurrentContext = "endpoint"
	return clientcmd.Write(*config)
}

var times = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"`)

// shift adds an offset to all times in a request.
func shift(r *http.Request, offset time.Duration) {
	if r.Body == nil {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the request fails by itself
	}
	body = times.ReplaceAllFunc(body, func(quoted []byte) []byte {
		at, err := time.Parse(`"`+time.RFC3339Nano+`"`, string(quoted))
		if err != nil {
			return quoted
		}
		format := time.RFC3339
		if bytes.ContainsRune(quoted, '.') {
			format = "2006-01-02T15:04:05.000000Z07:00"
		}
		return []byte(at.Add(offset).Format(`"` + format + `"`))
	})
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}
