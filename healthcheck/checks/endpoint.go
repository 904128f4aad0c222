package checks

import (
	"cmp"
	"context"
	"net"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/network"
)

// Reasons of results about endpoints.
const (
	// ReasonBadAddress means that the address is not valid.
	ReasonBadAddress = "BadAddress"
	// ReasonUnreachable means that the endpoint does not answer.
	ReasonUnreachable = "Unreachable"
	// ReasonNotTrusted means that the endpoint's certificate is not trusted, for whatever reason.
	ReasonNotTrusted = "CertificateNotTrusted"
	// ReasonUnexpectedStatus and ReasonUnexpectedBody are about the answer.
	ReasonUnexpectedStatus = "UnexpectedStatus"
	ReasonUnexpectedBody   = "UnexpectedBody"
)

// The defaults of probes.
const (
	// defaultProbeTimeout is the timeout for the whole answer.
	defaultProbeTimeout = 5 * time.Second
	// defaultProbeInterval is how often to probe: no event announces a change. See
	// healthcheck.NamedCheck.Interval.
	defaultProbeInterval = 30 * time.Second
)

// endpoint returns a check made from a probe. An empty address counts as missing.
func endpoint[T any](name, kind string, timeout, interval time.Duration, options []Option,
	find func(T) string, probe func(context.Context, healthcheck.Input[T], string) healthcheck.Result,
) healthcheck.NamedCheck[T] {
	settings := settingsOf(options)
	missing := settings.missing
	check := func(ctx context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		address := find(in.Object)
		if address == "" {
			return missing(notFound("No address is given for " + kind)), nil
		}
		limited, cancel := context.WithTimeout(ctx, cmp.Or(timeout, defaultProbeTimeout))
		defer cancel()
		r := probe(limited, in, address)
		if ctx.Err() != nil && r.Status != healthcheck.True {
			// The check's time is over, not the endpoint's.
			return healthcheck.Result{}, ctx.Err()
		}
		r.Message = clip(r.Message)
		return r, nil
	}
	problems := []error{required(find == nil, errNoFind), duration("Timeout", timeout, shortestTimeout), settings.problem}
	return healthcheck.NamedCheck[T]{Name: name, Check: checkOf(check, problems...), Interval: cmp.Or(interval, defaultProbeInterval)}
}

// unanswered returns the result for an endpoint that could not be reached.
func unanswered(who string, err error) healthcheck.Result {
	reason := ReasonUnreachable
	if network.Untrusted(err) {
		reason = ReasonNotTrusted
	}
	return unhealthy(reason, "%s %s", who, network.Cause(err))
}

// badAddress does not quote the address: an invalid one may contain anything, such as a secret.
func badAddress(kind string) healthcheck.Result {
	return unhealthy(ReasonBadAddress, "The address of %s is invalid", kind)
}

// TCPProbe holds the settings of TCP. The zero value has usable defaults.
type TCPProbe struct {
	// Timeout is the time allowed for connecting. The default is 5 seconds.
	Timeout time.Duration
	// Interval is how often to probe: see healthcheck.NamedCheck. A changed address in the object's
	// status may be noticed that much later. The default is 30 seconds.
	Interval time.Duration
}

// TCP checks that an endpoint accepts connections. Find returns its address, such as
// "shop.example.com:5432"; an empty one is False with ReasonNotFound, or what an option says. The
// connection is closed at once.
//
// It is False if the connection cannot be made in time (ReasonUnreachable), or if the address is
// invalid (ReasonBadAddress). A single lost packet is no outage: see
// healthcheck.ConditionChecks.Damping.
//
// The address decides where this process connects. Validate it first if it comes from people you do
// not trust.
func TCP[T any](name string, find func(T) string, probe TCPProbe, options ...Option) healthcheck.NamedCheck[T] {
	const kind = "a TCP endpoint"
	ask := func(ctx context.Context, _ healthcheck.Input[T], address string) healthcheck.Result {
		if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" {
			return badAddress(kind)
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return unanswered(address, err)
		}
		_ = conn.Close() // The connection was all there was to check.
		return healthy()
	}
	return endpoint(name, kind, probe.Timeout, probe.Interval, options, find, ask)
}
