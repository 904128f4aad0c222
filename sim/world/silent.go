package world

import (
	"fmt"
	"net"
	"net/url"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mute accepts connections and says nothing.
type mute struct {
	listener net.Listener
	accepted sync.WaitGroup
	// held belongs to accept, until that has ended.
	held []net.Conn
}

// Silence makes the API server of a workload cluster hang: open connections break, new ones are taken and never
// answered. The function that it returns ends that.
func (w *World) Silence(cluster client.ObjectKey) (func() error, error) {
	address, err := url.Parse(w.mux.ListListeners()[cluster.String()])
	if err != nil || address.Host == "" {
		return nil, fmt.Errorf("finding the API server of %s: it has the address %q", cluster, address)
	}
	if err := w.CutOff(cluster); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", ":"+address.Port())
	if err != nil {
		return nil, fmt.Errorf("listening in the place of %s: %w", cluster, err)
	}
	s := &mute{listener: listener}
	s.accepted.Go(s.accept)
	return func() error {
		if err := s.close(); err != nil {
			return fmt.Errorf("ending the silence of %s: %w", cluster, err)
		}
		return w.Reconnect(cluster)
	}, nil
}

func (s *mute) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.held = append(s.held, conn)
	}
}

func (s *mute) close() error {
	err := s.listener.Close()
	s.accepted.Wait()
	for _, conn := range s.held {
		_ = conn.Close()
	}
	return err
}
