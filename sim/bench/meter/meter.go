// Package meter counts what a program requests and reads from an API server. It is a proxy without TLS.
package meter

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

// Reading is what a meter shows: the number of requests, and the bytes of all answers, uncompressed.
type Reading struct {
	Requests int
	Bytes    int64
}

// Watched is what a client watches, and in which encoding.
type Watched struct {
	Path, LabelSelector, FieldSelector, Accept string
}

// plain is the content encoding of answers. Otherwise lists would be compressed, but watches are not.
const plain = "identity"

// Meter is a proxy that counts.
type Meter struct {
	// URL is its address.
	URL string

	server http.Server
	target *url.URL
	real   http.RoundTripper

	mu      sync.Mutex
	reading Reading
	watched []Watched
}

// Start puts a meter in front of an API server. The meter has the rights of the configuration.
func Start(config *rest.Config) (*Meter, error) {
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
	m := &Meter{URL: "http://" + listener.Addr().String(), target: target, real: real}
	m.server.Handler = &httputil.ReverseProxy{Rewrite: m.rewrite, Transport: m, FlushInterval: -1}
	go func() { _ = m.server.Serve(listener) }()
	return m, nil
}

// Stop stops the meter, and breaks all connections through it.
func (m *Meter) Stop() error { return m.server.Close() }

// WriteKubeconfig writes a kubeconfig that goes through the meter.
func (m *Meter) WriteKubeconfig(path string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["meter"] = &clientcmdapi.Cluster{Server: m.URL}
	config.Contexts["meter"] = &clientcmdapi.Context{Cluster: "meter"}
	config.CurrentContext = "meter"
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("writing the kubeconfig for the meter: %w", err)
	}
	return nil
}

// Read returns the current reading.
func (m *Meter) Read() Reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reading
}

// Watched returns what has been watched so far.
func (m *Meter) Watched() []Watched {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.watched)
}

func (m *Meter) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(m.target)
	r.Out.Header.Set("Accept-Encoding", plain)
}

// RoundTrip implements http.RoundTripper.
func (m *Meter) RoundTrip(req *http.Request) (*http.Response, error) {
	m.note(req)
	answer, err := m.real.RoundTrip(req)
	if err == nil {
		answer.Body = &counted{answer.Body, m}
	}
	return answer, err
}

func (m *Meter) note(req *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reading.Requests++
	query := req.URL.Query()
	if query.Get("watch") != "true" {
		return
	}
	one := Watched{req.URL.Path, query.Get("labelSelector"), query.Get("fieldSelector"), req.Header.Get("Accept")}
	if !slices.Contains(m.watched, one) {
		m.watched = append(m.watched, one)
	}
}

// counted is the body of an answer, whose bytes count.
type counted struct {
	io.ReadCloser
	meter *Meter
}

// Read implements io.Reader.
func (c *counted) Read(into []byte) (int, error) {
	n, err := c.ReadCloser.Read(into)
	c.meter.mu.Lock()
	defer c.meter.mu.Unlock()
	c.meter.reading.Bytes += int64(n)
	return n, err
}

// page is how many objects client-go requests at once in a list.
const page = "500"

// List reads everything watched once, page by page, which is the cheapest way in that encoding.
func (m *Meter) List(ctx context.Context, watched []Watched) (Reading, error) {
	var all Reading
	for _, one := range watched {
		query := url.Values{"limit": {page}}
		for name, value := range map[string]string{"labelSelector": one.LabelSelector, "fieldSelector": one.FieldSelector} {
			if value != "" {
				query.Set(name, value)
			}
		}
		for more := true; more; {
			next, size, err := m.listPage(ctx, one, query)
			if err != nil {
				return all, fmt.Errorf("listing %s: %w", one.Path, err)
			}
			all.Requests, all.Bytes, more = all.Requests+1, all.Bytes+size, next != ""
			query.Set("continue", next)
		}
	}
	return all, nil
}
