package checks_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// probed runs a check of an endpoint at noon. It drops the recheck time.
func probed(t *testing.T, check healthcheck.NamedCheck[*corev1.Namespace]) healthcheck.Result {
	t.Helper()
	r, err := check.Check.Check(t.Context(), healthcheck.Input[*corev1.Namespace]{Object: shop, Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	if check.Interval != 30*time.Second {
		t.Errorf("it is asked every %s", check.Interval)
	}
	r.RecheckAt = time.Time{}
	return r
}

// answered is far longer than an answer takes on a loaded machine.
const answered = time.Minute

// patiently returns the timeout, or answered if there is none.
func patiently(timeout time.Duration) time.Duration {
	if timeout == 0 {
		return answered
	}
	return timeout
}

// always returns the same address for each object.
func always(address string) func(*corev1.Namespace) string {
	return func(*corev1.Namespace) string { return address }
}

// listen listens for connections that are never accepted.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestTCP(t *testing.T) {
	open, closed := listen(t).Addr().String(), listen(t)
	_ = closed.Close()
	gone := closed.Addr().String()
	none := healthcheck.Result{Status: healthcheck.Skipped, Reason: checks.ReasonNotFound, Message: "No address is given for a TCP endpoint"}
	bad := fails(checks.ReasonBadAddress, "The address of a TCP endpoint is invalid")
	tests := map[string]struct {
		address string
		want    healthcheck.Result
	}{
		"open":      {open, passes},
		"gone":      {gone, fails(checks.ReasonUnreachable, gone+" refuses connections")},
		"no name":   {"nowhere.invalid:1", fails(checks.ReasonUnreachable, "nowhere.invalid:1 has a name that cannot be resolved")},
		"no number": {"127.0.0.1:99999", fails(checks.ReasonUnreachable, "127.0.0.1:99999 has an invalid address")},
		"no port":   {"s3cret", bad},
		"no host":   {":80", bad},
		"none":      {"", none},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := probed(t, checks.TCP("tcp", always(tt.address), checks.TCPProbe{Timeout: answered}, checks.MissingIsSkipped()))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// handshakes serves TLS with certificates by name until the test ends.
func handshakes(t *testing.T, by map[string]tls.Certificate) string {
	t.Helper()
	l := tls.NewListener(listen(t), &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if c, ok := by[hello.ServerName]; ok {
				return &c, nil
			}
			return nil, errors.New("no such name")
		},
	})
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_ = conn.(*tls.Conn).HandshakeContext(context.Background())
				_ = conn.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// served is a certificate with its key.
func served(c *x509.Certificate, key *ecdsa.PrivateKey) tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{c.Raw}, PrivateKey: key, Leaf: c}
}

func TestTLS(t *testing.T) {
	a := newAuthority(t)
	named := func(name string) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.DNSNames = []string{name} }
	}
	atAddress := func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)} }
	roots := x509.NewCertPool()
	roots.AddCert(a.certificate)
	address := handshakes(t, map[string]tls.Certificate{
		"":                 served(a.issue(t, 50*day, atAddress)),
		"shop.example.com": served(a.issue(t, 50*day)),
		"old.example.com":  served(a.issue(t, -day, named("old.example.com"))),
		"soon.example.com": served(a.issue(t, 5*day, named("soon.example.com"))),
		"mall.example.com": served(a.issue(t, 50*day)),
	})
	asked := func(name, problem string) string { return address + ", asked for " + name + "," + problem }
	const distrust = " has a certificate that cannot be trusted: it is "
	soon := healthcheck.Result{
		Status: healthcheck.Progressing, Reason: checks.ReasonExpiring, Deadline: noon.Add(5 * day),
		Message: asked("soon.example.com", ": Certificate of CN=shop expires on 2026-07-06 12:00 UTC, in less than 11 days"),
	}
	mute := listen(t).Addr().String()
	tests := map[string]struct {
		address string
		names   []string
		probe   checks.TLSProbe
		want    healthcheck.Result
	}{
		"good":            {address, []string{"shop.example.com"}, checks.TLSProbe{Roots: roots}, passes},
		"by its address":  {address, nil, checks.TLSProbe{Roots: roots}, passes},
		"expired":         {address, []string{"shop.example.com", "old.example.com"}, checks.TLSProbe{Roots: roots}, fails(checks.ReasonNotTrusted, asked("old.example.com", distrust+"expired, or not valid yet"))},
		"expiring":        {address, []string{"shop.example.com", "soon.example.com"}, checks.TLSProbe{Roots: roots}, soon},
		"worse first":     {address, []string{"soon.example.com", "old.example.com"}, checks.TLSProbe{Roots: roots}, fails(checks.ReasonNotTrusted, asked("old.example.com", distrust+"expired, or not valid yet"))},
		"another name":    {address, []string{"mall.example.com"}, checks.TLSProbe{Roots: roots}, fails(checks.ReasonNotTrusted, asked("mall.example.com", distrust+"for another name"))},
		"no such name":    {address, []string{"unknown.example.com"}, checks.TLSProbe{Roots: roots}, fails(checks.ReasonUnreachable, asked("unknown.example.com", " refuses the TLS handshake"))},
		"stranger":        {address, nil, checks.TLSProbe{}, fails(checks.ReasonNotTrusted, address+distrust+"signed by an unknown authority")},
		"mute":            {mute, nil, checks.TLSProbe{Timeout: 100 * time.Millisecond}, fails(checks.ReasonUnreachable, mute+" does not answer in time")},
		"not an endpoint": {"s3cret", nil, checks.TLSProbe{}, fails(checks.ReasonBadAddress, "The address of a TLS endpoint is invalid")},
		"none":            {"", nil, checks.TLSProbe{}, healthcheck.Result{Status: healthcheck.Skipped, Reason: checks.ReasonNotFound, Message: "No address is given for a TLS endpoint"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			find := func(*corev1.Namespace) (string, []string) { return tt.address, tt.names }
			tt.probe.Timeout = patiently(tt.probe.Timeout)
			got := probed(t, checks.TLS("tls", find, tt.probe, checks.MissingIsSkipped()))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestTimeOfTheCheck: if the check itself runs out of time, it says nothing about the endpoint.
func TestTimeOfTheCheck(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check := checks.TCP("tcp", always(listen(t).Addr().String()), checks.TCPProbe{})
	r, err := check.Check.Check(ctx, healthcheck.Input[*corev1.Namespace]{Object: shop, Now: noon})
	if !errors.Is(err, context.Canceled) || r.Status != "" {
		t.Errorf("says %+v, %v", r, err)
	}
}
