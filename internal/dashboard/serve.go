package dashboard

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	certutil "k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

const (
	// headerTimeout bounds reading the header of a request, readTimeout the whole request, writeTimeout rendering and sending the answer, and
	// idleTimeout a connection without requests.
	headerTimeout = 10 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = time.Minute
	idleTimeout   = 2 * time.Minute
	// maxHeader has room for a long token.
	maxHeader = 64 << 10
	// goodbye is how long requests may take at the end.
	goodbye = 5 * time.Second
)

// Server serves pages over TLS, in a manager. Every replica serves, because it only reads.
type Server struct {
	Handler http.Handler
	// CertDir has tls.crt and tls.key, which are read again when they change. If it is empty, the certificate is self-signed.
	CertDir string
	Log     logr.Logger

	listener net.Listener
	// patience is how long a request may take as a whole; zero means readTimeout.
	patience time.Duration
}

// Listen opens the address, so the caller gets an error at once if it is not free.
func (s *Server) Listen(ctx context.Context, address string) error {
	var err error
	if s.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", address); err != nil {
		return fmt.Errorf("serving the dashboard: %w", err)
	}
	return nil
}

// Address returns the address that it serves.
func (s *Server) Address() string { return s.listener.Addr().String() }

// NeedLeaderElection returns false: the pages are the same on every replica.
func (s *Server) NeedLeaderElection() bool { return false }

// Start serves until ctx ends.
func (s *Server) Start(ctx context.Context) error {
	config, err := s.tls(ctx)
	if err != nil {
		return errors.Join(err, s.listener.Close())
	}
	server := manager.Server{Listener: tls.NewListener(s.listener, config), ShutdownTimeout: new(goodbye), Server: &http.Server{
		Handler: s.Handler, ReadHeaderTimeout: headerTimeout, MaxHeaderBytes: maxHeader,
		ReadTimeout: cmp.Or(s.patience, readTimeout), WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		// Handlers end with the manager, including live updates.
		BaseContext: func(net.Listener) context.Context { return ctx },
		// Such errors come from browsers that do not trust the certificate, and from port scanners.
		ErrorLog: slog.NewLogLogger(logr.ToSlogHandler(s.Log.V(1)), slog.LevelInfo),
	}}
	return server.Start(logr.NewContext(ctx, s.Log))
}

// endures removes the deadlines of a long-running response. The handler sets one for each write.
func endures(w http.ResponseWriter) {
	// Some connections support no deadline; then there is none to remove.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
}

// tls returns the TLS configuration with the certificate.
func (s *Server) tls(ctx context.Context) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	if s.CertDir == "" {
		cert, key, err := certutil.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
		if err != nil {
			return nil, fmt.Errorf("making a certificate for the dashboard: %w", err)
		}
		pair, err := tls.X509KeyPair(cert, key)
		config.Certificates = []tls.Certificate{pair}
		return config, err
	}
	watcher, err := certwatcher.New(filepath.Join(s.CertDir, "tls.crt"), filepath.Join(s.CertDir, "tls.key"))
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of the dashboard: %w", err)
	}
	config.GetCertificate = watcher.GetCertificate
	go func() {
		if err := watcher.Start(ctx); err != nil {
			s.Log.Error(err, "Watching the dashboard's certificate failed; it is not reloaded when it changes")
		}
	}()
	return config, nil
}
