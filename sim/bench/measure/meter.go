package measure

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// meter is a proxy without TLS that counts what a program requests and reads from an API server.
type meter struct {
	url    string
	server http.Server
	target *url.URL
	real   http.RoundTripper

	mu       sync.Mutex
	requests int
	// bytes are those of all answers, uncompressed.
	bytes   int64
	watched []watch
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
	m.server.Handler = &httputil.ReverseProxy{Transport: m, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Set("Accept-Encoding", plain)
	}}
	go func() { _ = m.server.Serve(listener) }()
	return m, nil
}

// writeKubeconfig writes a kubeconfig that goes through the meter.
func (m *meter) writeKubeconfig(path string) error {
	const format = `{apiVersion: v1, kind: Config, current-context: meter,
clusters: [{name: meter, cluster: {server: %q}}], contexts: [{name: meter, context: {cluster: meter}}]}`
	if err := os.WriteFile(path, fmt.Appendf(nil, format, m.url), 0o600); err != nil {
		return fmt.Errorf("writing the kubeconfig for the meter: %w", err)
	}
	return nil
}

// read returns the number of requests so far, the bytes of all answers, and what has been watched.
func (m *meter) read() (requests int, bytes int64, watched []watch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests, m.bytes, slices.Clone(m.watched)
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
	m.requests++
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
	c.meter.bytes += int64(n)
	return n, err
}

// list reads everything watched once, in the encoding of the watches, and returns its bytes. It does not count as read.
func (m *meter) list(ctx context.Context, watched []watch) (bytes int64, err error) {
	for _, one := range watched {
		size, err := m.size(ctx, one)
		if err != nil {
			return 0, fmt.Errorf("listing %s: %w", one.path, err)
		}
		bytes += size
	}
	return bytes, nil
}

func (m *meter) size(ctx context.Context, one watch) (int64, error) {
	at := *m.target
	at.Path, at.RawQuery = one.path, url.Values{"labelSelector": {one.labelSelector}, "fieldSelector": {one.fieldSelector}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return 0, err
	}
	// Lists of metadata have a name of their own.
	encoding := strings.NewReplacer(";stream=watch", "", "as=PartialObjectMetadata;", "as=PartialObjectMetadataList;").Replace(one.accept)
	req.Header.Set("Accept", encoding)
	req.Header.Set("Accept-Encoding", plain)
	answer, err := m.real.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the answer is %s", answer.Status)
	}
	return io.Copy(io.Discard, answer.Body)
}
