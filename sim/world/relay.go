package world

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// relay forwards connections to a shared API server, so that the server can hang only for the clients of this relay.
type relay struct {
	to       string
	listener net.Listener
	accepted sync.WaitGroup

	mu     sync.Mutex
	silent bool
	open   map[net.Conn]struct{}
}

func newRelay(to string) (*relay, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(workloadHost, "0"))
	if err != nil {
		return nil, fmt.Errorf("listening for %s: %w", to, err)
	}
	r := &relay{to: to, listener: listener, open: map[net.Conn]struct{}{}}
	r.accepted.Go(r.accept)
	return r, nil
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) accept() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.pass(conn)
	}
}

// pass forwards a connection and closes it when either side does. While the relay is silent, pass holds the
// connection and answers nothing.
func (r *relay) pass(conn net.Conn) {
	if !r.keep(conn) {
		return
	}
	server, err := net.Dial("tcp", r.to)
	if err != nil {
		_ = conn.Close()
		return
	}
	r.keepBoth(server)
	go func() {
		_, _ = io.Copy(server, conn)
		r.drop(server, conn)
	}()
	_, _ = io.Copy(conn, server)
	r.drop(server, conn)
}

// keep remembers a connection, and reports whether to forward it.
func (r *relay) keep(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[conn] = struct{}{}
	return !r.silent
}

// keepBoth also remembers the other end. If the relay has fallen silent meanwhile, it closes that end.
func (r *relay) keepBoth(conn net.Conn) {
	if !r.keep(conn) {
		_ = conn.Close()
	}
}

func (r *relay) drop(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range conns {
		delete(r.open, conn)
		_ = conn.Close()
	}
}

// setSilent breaks all connections, and sets whether new ones are held or forwarded.
func (r *relay) setSilent(silent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent = silent
	for conn := range r.open {
		delete(r.open, conn)
		_ = conn.Close()
	}
}

func (r *relay) close() error {
	err := r.listener.Close()
	r.accepted.Wait()
	r.setSilent(true)
	return err
}

// relayed returns a kubeconfig that reaches this world's own API server through a relay for a cluster.
func (w *World) relayed(cluster client.ObjectKey) ([]byte, error) {
	server, err := url.Parse(w.config.Host)
	if err != nil {
		return nil, fmt.Errorf("reading the address of the world: %w", err)
	}
	r, err := newRelay(server.Host)
	if err != nil {
		return nil, err
	}
	if err := w.keep(cluster, r); err != nil {
		return nil, errors.Join(err, r.close())
	}
	config, err := clientcmd.Load(w.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig of the world: %w", err)
	}
	return by(config, r)
}

// by writes a kubeconfig in which every server is reached through a relay.
func by(config *clientcmdapi.Config, r *relay) ([]byte, error) {
	config = config.DeepCopy()
	for _, c := range config.Clusters {
		c.Server = "https://" + r.address()
	}
	access, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("writing a kubeconfig: %w", err)
	}
	return access, nil
}
