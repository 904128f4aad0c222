package world

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"sync"

	inmemoryruntime "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/runtime"
	inmemoryapi "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/server/api"
	"sigs.k8s.io/cluster-api/util/certs"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// front is the in-memory API server of all synthetic clusters. Each cluster has its own relay, and the relay's port tells the
// front which cluster a request is for. Cluster API's own server generates two keys per cluster, one after the other. That
// takes half a second, so a thousand clusters would take minutes.
type front struct {
	address string
	server  http.Server

	mu sync.Mutex
	// groups maps the port of each relay to the name of its cluster in memory.
	groups map[string]string
}

func startFront(memory inmemoryruntime.Manager, a *authority) (*front, error) {
	certificate, err := a.serving()
	if err != nil {
		return nil, err
	}
	listener, err := tls.Listen("tcp", net.JoinHostPort(workloadHost, "0"), &tls.Config{
		Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12,
	})
	if err != nil {
		return nil, fmt.Errorf("listening for workload clusters: %w", err)
	}
	f := &front{address: listener.Addr().String(), groups: map[string]string{}}
	f.server.Handler = inmemoryapi.NewAPIServerHandler(memory, ctrl.Log, f.group)
	go func() { _ = f.server.Serve(listener) }()
	return f, nil
}

// group returns the name in memory of the cluster whose relay listens at host.
func (f *front) group(host string) (string, error) {
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	group, ok := f.groups[port]
	if !ok {
		return "", fmt.Errorf("no workload cluster is at %s", host)
	}
	return group, nil
}

// add makes a relay for a cluster.
func (f *front) add(group string) (*relay, error) {
	r, err := newRelay(f.address)
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(r.address())
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.groups[port] = group
	return r, nil
}

// serving returns the one server certificate that all clusters of the authority share.
func (a *authority) serving() (tls.Certificate, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making the key of workload clusters: %w", err)
	}
	config := certs.Config{
		CommonName: "kube-apiserver", AltNames: certs.AltNames{IPs: []net.IP{net.ParseIP(workloadHost)}},
		Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	signed, err := config.NewSignedCert(key, a.certificate, a.key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making the certificate of workload clusters: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{signed.Raw}, PrivateKey: key}, nil
}

// synthetic holds what all synthetic clusters of a world share.
type synthetic struct {
	authority *authority
	front     *front
}

// newSynthetic runs once, when the first synthetic cluster is created.
func (w *World) newSynthetic() (*synthetic, error) {
	a, err := newAuthority()
	if err != nil {
		return nil, err
	}
	f, err := startFront(w.memory, a)
	if err != nil {
		return nil, err
	}
	w.onStop(func(context.Context) error { return f.server.Close() })
	return &synthetic{a, f}, nil
}

// keep assigns a relay to a cluster until the world stops.
func (w *World) keep(cluster client.ObjectKey, r *relay) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.relays[cluster] != nil {
		return fmt.Errorf("there is a cluster %s already", cluster)
	}
	w.relays[cluster] = r
	return nil
}

func (w *World) relayOf(cluster client.ObjectKey) *relay {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.relays[cluster]
}

// closeRelays closes all connections that go through relays.
func (w *World) closeRelays(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for cluster, r := range w.relays {
		if err := r.close(); err != nil {
			return fmt.Errorf("closing the way to %s: %w", cluster, err)
		}
	}
	clear(w.relays)
	return nil
}
