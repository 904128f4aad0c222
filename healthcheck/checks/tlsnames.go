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

// TLSProbe holds the settings of TLS. The zero value has usable defaults.
type TLSProbe struct {
	// Timeout is the timeout for the connections and handshakes of all names together. The default is
	// 5 seconds.
	Timeout time.Duration
	// Interval is how often to probe: see healthcheck.NamedCheck. A changed address in the object's
	// status may be noticed that much later. The default is 30 seconds.
	Interval time.Duration
	// Roots are the trusted authorities. The default is those of the system.
	Roots *x509.CertPool
	// Expiry says how long the certificates must be valid. Its Key and Names are ignored.
	Expiry Expiry
}

// TLS checks that an endpoint has certificates for names. Find returns its address, such as
// "10.0.0.7:443", and the names; without names, it uses the host of the address. It opens one
// connection for each name, since the endpoint may have a certificate for each; it sends nothing
// else. An empty address is False with ReasonNotFound, or what an option says.
//
// It is False if the endpoint does not answer in time (ReasonUnreachable), has a certificate that is
// not trusted, not valid or for another name (ReasonNotTrusted), or has one that expires too soon
// (ReasonExpiring), or if the address is invalid (ReasonBadAddress). In the warning period it is
// Progressing (ReasonExpiring), as with Certificate.
//
// The address decides where this process connects. Validate it first if it comes from people you do
// not trust.
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
	named := endpoint(name, kind, probe.Timeout, probe.Interval, options, address, ask)
	return also(named, required(find == nil, errNoFind), probe.Expiry.validate())
}

// worst returns the first result with the worst status. Its RecheckAt is the earliest of all results.
func worst(now time.Time, found []healthcheck.Result) healthcheck.Result {
	merged := healthcheck.Merge(now, found...)
	lead := found[slices.IndexFunc(found, func(r healthcheck.Result) bool { return r.At(now).Status == merged.Status })]
	lead.RecheckAt = merged.RecheckAt
	return lead
}

// one makes the handshake for one name.
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
	_ = conn.Close() // The handshake was all there was to check.
	expiry := p.Expiry
	expiry.Names = nil // The handshake has verified the name.
	r := expiry.judge(longest(state.VerifiedChains), now)
	if r.Status != healthcheck.True {
		r.Message = withDetail(who, r.Message)
	}
	return r
}

// longest returns the chain that is valid for longest. One valid chain is enough, and servers may
// send certificates that are not needed.
func longest(chains [][]*x509.Certificate) []*x509.Certificate {
	return slices.MaxFunc(chains, func(a, b []*x509.Certificate) int { return ends(a).Compare(ends(b)) })
}

// ends returns when the first certificate of a chain expires.
func ends(chain []*x509.Certificate) time.Time {
	return slices.MinFunc(chain, func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) }).NotAfter
}
