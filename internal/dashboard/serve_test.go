package dashboard

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	certutil "k8s.io/client-go/util/cert"
)

// started starts a server that runs until the test ends or end is called.
func started(t *testing.T, s *Server) (address string, end func() error) {
	t.Helper()
	s.Log = logr.Discard()
	if err := s.Listen(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Start(ctx) }()
	end = func() error {
		cancel()
		return <-ended
	}
	return s.Address(), end
}

// browser returns an HTTP client that follows no redirects and trusts one certificate, or any if it is nil.
func browser(trusted []byte, protocols ...string) *http.Client {
	config := &tls.Config{InsecureSkipVerify: trusted == nil}
	if trusted != nil {
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM(trusted)
	}
	transport := &http.Transport{TLSClientConfig: config, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(true)
	transport.Protocols.SetHTTP2(len(protocols) > 0 && protocols[0] == "h2")
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, text, " by ", r.Proto) })
}

// TestServer: it serves both versions of HTTP over TLS, and nothing without TLS.
func TestServer(t *testing.T) {
	address, end := started(t, &Server{Handler: says("served")})
	for protocol, want := range map[string]string{"http/1.1": "served by HTTP/1.1", "h2": "served by HTTP/2.0"} {
		response, err := browser(nil, protocol).Get("https://" + address + "/")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || string(body) != want {
			t.Errorf("answers %q, %v; want %q", body, err, want)
		}
	}
	response, err := browser(nil).Get("http://" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusBadRequest || strings.Contains(string(body), "served") {
		t.Errorf("without TLS it answers %s: %s", response.Status, body)
	}
	old := browser(nil)
	old.Transport.(*http.Transport).TLSClientConfig.MaxVersion = tls.VersionTLS11
	if _, err := old.Get("https://" + address + "/"); err == nil {
		t.Error("it speaks TLS 1.1")
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("it still listens when it has ended")
	}
}

// TestServerEndsWhatIsWatched: the manager does not wait for live updates, which never end by themselves.
func TestServerEndsWhatIsWatched(t *testing.T) {
	stream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "first")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-r.Context().Done()
	})
	address, end := started(t, &Server{Handler: stream})
	response, err := browser(nil).Get("https://" + address + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewReader(response.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != "first\n" {
		t.Fatalf("read %q, %v", line, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if _, err := lines.ReadString('\n'); err == nil {
		t.Error("the stream goes on")
	}
}

// TestServerCertificate: a given certificate is served, and errors in it are reported.
func TestServerCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"tls.crt": cert, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address, end := started(t, &Server{Handler: says("served"), CertDir: dir})
	if _, err := browser(cert).Get("https://" + address + "/"); err != nil {
		t.Errorf("another certificate is served: %v", err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	_, end = started(t, &Server{Handler: says("served"), CertDir: t.TempDir()})
	if err := end(); err == nil || !strings.Contains(err.Error(), "reading the certificate of the dashboard") {
		t.Errorf("without a certificate it ends with %v", err)
	}
	taken := &Server{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if err := taken.Listen(t.Context(), listener.Addr().String()); err == nil {
		t.Error("an address is served twice")
	}
}

// TestServerWaitsForNobody: a client that announces a body and does not send it cannot hold a connection forever, and live updates
// are not cut off.
func TestServerWaitsForNobody(t *testing.T) {
	t.Parallel()
	const patience = 2 * time.Second
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != eventsPath {
			return
		}
		endures(w)
		for range 2 {
			fmt.Fprintln(w, "still there")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(patience + time.Second):
			}
		}
	})
	address, end := started(t, &Server{Handler: handler, patience: patience})
	config := &tls.Config{InsecureSkipVerify: true}
	stranger, err := tls.Dial("tcp", address, config)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(stranger, "GET /login HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
	watched := make(chan string, 1)
	go func() {
		response, err := browser(nil).Get("https://" + address + eventsPath)
		if err != nil {
			watched <- err.Error()
			return
		}
		body, _ := io.ReadAll(response.Body)
		watched <- string(body)
	}()
	if err := stranger.SetReadDeadline(time.Now().Add(patience + 5*time.Second)); err != nil {
		t.Fatal(err)
	}
	var late net.Error
	if _, err := io.ReadAll(stranger); errors.As(err, &late) && late.Timeout() {
		t.Error("a stranger who sends nothing holds a connection")
	}
	if got := <-watched; got != "still there\nstill there\n" {
		t.Errorf("who watches is told %q", got)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}
