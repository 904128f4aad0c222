package checks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TLSProbe is how a TLS endpoint is asked. The zero value is good.
type TLSProbe struct {
	// Timeout bounds the connections and handshakes with all names together. The default
	// is 5 seconds.
	Timeout time.Duration
	// Interval is how often it is asked: see healthcheck.NamedCheck. An address from the status of the
	// object may be that much late. The default is 30 seconds.
	Interval time.Duration
	// Roots are the authorities that are trusted. The default is those of the system.
	Roots *x509.CertPool
	// Expiry is what is demanded of the certificates. Key and Names do not count here.
	Expiry Expiry
}

// TLS is a check that an endpoint has certificates for names. Find returns its address, as
// "10.0.0.7:443", and the names; without any, it is the host of the address. The endpoint
// is asked for each name by a connection of its own, since it may have a certificate for
// each; nothing else is sent. An empty address is False with ReasonNotFound, or what an
// option says.
//
// It is False if the endpoint does not answer in time (ReasonUnreachable), has a
// certificate that is not trusted, not valid or for another name (ReasonNotTrusted), or
// one with too little time left (ReasonExpiring). In the time of the warning it is
// Progressing (ReasonExpiring), as with Certificate.
//
// The address decides where this process connects. Check it first if it comes from people
// you do not trust.
func TLS[T any](name string, find func(T) (address string, names []string), probe TLSProbe, options ...Option) healthcheck.NamedCheck[T] {
	const kind = "a TLS endpoint"
	address := func(obj T) string {
		address, _ := find(obj)
		return address
	}
	ask := func(ctx context.Context, in healthcheck.Input[T], address string) healthcheck.Result {
		host, port, err := net.SplitHostPort(address)
		if err != nil || host == "" || port == "" {
			return badAddress(kind)
		}
		_, names := find(in.Object)
		if len(names) == 0 {
			names = []string{host}
		}
		found := make([]healthcheck.Result, len(names))
		for i, name := range names {
			found[i] = probe.one(ctx, address, name, in.Now)
		}
		return worst(in.Now, found)
	}
	return endpoint(name, kind, probe.Timeout, probe.Interval, options, address, ask)
}

// worst is the first of those with the worst status, and is looked at again as soon as any
// of them changes.
func worst(now time.Time, found []healthcheck.Result) healthcheck.Result {
	merged := healthcheck.Merge(now, found...)
	lead := found[slices.IndexFunc(found, func(r healthcheck.Result) bool { return r.At(now).Status == merged.Status })]
	lead.RecheckAt = merged.RecheckAt
	return lead
}

// one shakes hands for one name.
func (p TLSProbe) one(ctx context.Context, address, name string, now time.Time) healthcheck.Result {
	who := address
	if host, _, _ := net.SplitHostPort(address); host != name {
		who = address + ", asked for " + name + ","
	}
	dialer := tls.Dialer{Config: &tls.Config{
		ServerName: name, RootCAs: p.Roots, MinVersion: tls.VersionTLS12, Time: func() time.Time { return now },
	}}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return unanswered(who, err)
	}
	state := conn.(*tls.Conn).ConnectionState()
	_ = conn.Close() // All there was to know is known.
	expiry := p.Expiry
	expiry.Names = nil // The handshake has looked at the name.
	r := expiry.judge(longest(state.VerifiedChains), now)
	if r.Status != healthcheck.True {
		r.Message = withDetail(who, r.Message)
	}
	return r
}

// longest returns the chain that is valid for longest. One that is valid will do, and
// servers send some that are not needed.
func longest(chains [][]*x509.Certificate) []*x509.Certificate {
	return slices.MaxFunc(chains, func(a, b []*x509.Certificate) int { return ends(a).Compare(ends(b)) })
}

// ends is when the first certificate of a chain expires.
func ends(chain []*x509.Certificate) time.Time {
	return slices.MinFunc(chain, func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) }).NotAfter
}
