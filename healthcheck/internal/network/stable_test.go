package network_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/network"
)

// cutOff starts a server that reads a request and resets the connection.
func cutOff(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}))
	t.Cleanup(server.Close)
	return server
}

// get sends a request on a new connection.
func get(t *testing.T, address string) error {
	t.Helper()
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	return err
}

// TestRealErrors: an error of net/http has the same text each time, without local ports, and with only the host of a
// URL.
func TestRealErrors(t *testing.T) {
	reset, secure, plain := cutOff(t), httptest.NewTLSServer(http.NotFoundHandler()), httptest.NewServer(http.NotFoundHandler())
	defer secure.Close()
	defer plain.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	host := func(s *httptest.Server) string {
		return strings.TrimPrefix(strings.TrimPrefix(s.URL, "https://"), "http://")
	}
	tests := map[string]struct{ address, want string }{
		"reset":     {reset.URL, host(reset) + " closes connections early"},
		"gone":      {gone.URL, host(gone) + " refuses connections"},
		"stranger":  {secure.URL, host(secure) + " has a certificate that cannot be trusted: it is signed by an unknown authority"},
		"plain":     {"https://" + host(plain), host(plain) + " does not speak TLS"},
		"no name":   {"http://nowhere.invalid", "nowhere.invalid has a name that cannot be resolved"},
		"no scheme": {"gopher://example.com", `example.com: unsupported protocol scheme "gopher"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			address := strings.Replace(tt.address, "://", "://user:s3cret@", 1) + "/p4th?token=s3cret"
			for range 3 {
				err := fmt.Errorf("asking: %w", get(t, address))
				if got := network.Stable(err); got.Error() != "asking: "+tt.want || !errors.Is(got, err) {
					t.Errorf("got  %q\nwant %q, from %q", got, "asking: "+tt.want, err)
				}
			}
		})
	}
}

// TestStable: text that others put around an error stays, and errors that are not about the network do not change.
func TestStable(t *testing.T) {
	local := func(port int) net.Addr { return &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: port} }
	read := &net.OpError{Op: "read", Net: "tcp", Source: local(41234), Addr: local(443), Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	expired := x509.CertificateInvalidError{Reason: x509.Expired, Detail: "current time 2026-07-01T12:00:00Z is after 2026-06-01T00:00:00Z"}
	tests := map[string]struct {
		err  error
		want string
	}{
		"read":              {fmt.Errorf("getting Pod a/b: %w", read), "getting Pod a/b: the other side closes connections early"},
		"two":               {errors.Join(errors.New("first"), read, context.DeadlineExceeded), "first\nthe other side closes connections early\ncontext deadline exceeded"},
		"lost":              {fmt.Errorf("webhook: %v", read), "webhook: read tcp 10.0.0.7:443: read: connection reset by peer"}, //nolint:errorlint // That is the case.
		"tried again":       {fmt.Errorf("%w - error from a previous attempt: %w", read, read), "the other side closes connections early"},
		"own words":         {quiet{read}, "cluster c cannot be reached"},
		"lookup":            {&net.DNSError{Err: "i/o timeout", Name: "shop.example.com", Server: "10.0.0.10:53", IsTimeout: true}, "shop.example.com has a name that cannot be resolved"},
		"lookup in words":   {errors.New("lookup shop on 10.0.0.10:53: read udp 10.0.0.7:4000->10.0.0.10:53: i/o timeout"), "lookup shop on 10.0.0.10:53: read udp 10.0.0.10:53: i/o timeout"},
		"expired":           {&tls.CertificateVerificationError{Err: expired}, "the other side has a certificate that cannot be trusted: it is expired, or not valid yet"},
		"expired, in words": {errors.New(expired.Error()), "x509: certificate has expired or is not yet valid (after 2026-06-01T00:00:00Z)"},
		"streams":           {errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1999, ErrCode=NO_ERROR"), "http2: server sent GOAWAY and closed the connection; LastStreamID=N, ErrCode=NO_ERROR"},
		"a URL in words":    {errors.New(`Get "https://u:p@h:1/a?token=t": EOF`), `Get "https://h:1/a": EOF`},
		"alert":             {&net.OpError{Op: "remote error", Err: errors.New("tls: internal error")}, "the other side refuses the TLS handshake"},
		"an @ in it":        {errors.New("https://u:p@ss@h:1/a"), "https://h:1/a"},
		"bad URL":           {&url.Error{Op: "parse", URL: "http://u:p@h:x", Err: errors.New("invalid port")}, "the other side has an invalid address"},
		"cancelled":         {&url.Error{Op: "Get", URL: "http://h/a", Err: context.Canceled}, "h was not reached before the request was cancelled"},
		"timed out":         {&url.Error{Op: "Get", URL: "http://h/a", Err: context.DeadlineExceeded}, "h does not answer in time"},
		"credential":        {&url.Error{Op: "Get", URL: "http://h/a", Err: errors.New("no token")}, "h: no token"},
		"a file":            {&fs.PathError{Op: "open", Path: "/a", Err: syscall.ENOENT}, "open /a: no such file or directory"},
		"plain":             {errors.New("refused"), "refused"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := network.Stable(tt.err)
			if got.Error() != tt.want || !errors.Is(got, tt.err) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if again := network.Stable(got); again.Error() != tt.want {
				t.Errorf("cleaned twice it is %q", again)
			}
		})
	}
	if got := network.Stable(nil); got != nil {
		t.Errorf("nothing became %q", got)
	}
}

// quiet wraps a network error, and has its own text.
type quiet struct{ err error }

func (q quiet) Error() string { return "cluster c cannot be reached" }
func (q quiet) Unwrap() error { return q.err }
