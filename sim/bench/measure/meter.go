package measure

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// meter is a proxy without TLS that counts what a program requests and reads from an API server.
type meter struct {
	url string

	server http.Server
	target *url.URL
	real   http.RoundTripper

	mu      sync.Mutex
	shown   reading
	watched []watch
}

// reading is what a meter shows: the number of requests, and the bytes of all answers, uncompressed.
type reading struct {
	requests int
	bytes    int64
}

// watch is what a client watches, and in which encoding.
type watch struct{ path, labelSelector, fieldSelector, accept string }

// plain is the content encoding of answers. Otherwise lists would be compressed, but watches are not.
const plain = "identity"

// startMeter puts a meter in front of an API server. The meter has the rights of the configuration.
func startMeter(config *rest.Config) (*meter, error) {
	real, err := rest.TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("connecting the meter: %w", err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, fmt.Errorf("reading the address for the meter: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the meter: %w", err)
	}
	m := &meter{url: "http://" + listener.Addr().String(), target: target, real: real}
	m.server.Handler = &httputil.ReverseProxy{Rewrite: m.rewrite, Transport: m, FlushInterval: -1}
	go func() { _ = m.server.Serve(listener) }()
	return m, nil
}

// stop stops the meter, and breaks all connections through it.
func (m *meter) stop() error { return m.server.Close() }

// writeKubeconfig writes a kubeconfig that goes through the meter.
func (m *meter) writeKubeconfig(path string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["meter"] = &clientcmdapi.Cluster{Server: m.url}
	config.Contexts["meter"] = &clientcmdapi.Context{Cluster: "meter"}
	config.CurrentContext = "meter"
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("writing the kubeconfig for the meter: %w", err)
	}
	return nil
}

// read returns the current reading, and what has been watched so far.
func (m *meter) read() (reading, []watch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shown, slices.Clone(m.watched)
}

func (m *meter) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(m.target)
	r.Out.Header.Set("Accept-Encoding", plain)
}

// RoundTrip implements http.RoundTripper.
func (m *meter) RoundTrip(req *http.Request) (*http.Response, error) {
	m.note(req)
	answer, err := m.real.RoundTrip(req)
	if err == nil {
		answer.Body = &counted{answer.Body, m}
	}
	return answer, err
}

func (m *meter) note(req *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown.requests++
	query := req.URL.Query()
	one := watch{req.URL.Path, query.Get("labelSelector"), query.Get("fieldSelector"), req.Header.Get("Accept")}
	if query.Get("watch") == "true" && !slices.Contains(m.watched, one) {
		m.watched = append(m.watched, one)
	}
}

// counted is the body of an answer, whose bytes count.
type counted struct {
	io.ReadCloser
	meter *meter
}

// Read implements io.Reader.
func (c *counted) Read(into []byte) (int, error) {
	n, err := c.ReadCloser.Read(into)
	c.meter.mu.Lock()
	defer c.meter.mu.Unlock()
	c.meter.shown.bytes += int64(n)
	return n, err
}

// page is how many objects client-go requests at once in a list.
const page = "500"

// list reads everything watched once, page by page, which is the cheapest way in that encoding. It does not count in the reading.
func (m *meter) list(ctx context.Context, watched []watch) (all reading, err error) {
	for _, one := range watched {
		query := url.Values{"limit": {page}}
		for name, value := range map[string]string{"labelSelector": one.labelSelector, "fieldSelector": one.fieldSelector} {
			if value != "" {
				query.Set(name, value)
			}
		}
		for more := true; more; {
			next, size, err := m.listPage(ctx, one, query)
			if err != nil {
				return all, fmt.Errorf("listing %s: %w", one.path, err)
			}
			all.requests, all.bytes, more = all.requests+1, all.bytes+size, next != ""
			query.Set("continue", next)
		}
	}
	return all, nil
}
