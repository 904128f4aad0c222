package checks

import (
	"cmp"
	"context"
	"net"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/network"
)

// The reasons of results about endpoints.
const (
	// ReasonBadAddress says that the address cannot be read.
	ReasonBadAddress = "BadAddress"
	// ReasonUnreachable says that there is no answer.
	ReasonUnreachable = "Unreachable"
	// ReasonNotTrusted says that its certificate is not trusted, for whatever reason.
	ReasonNotTrusted = "CertificateNotTrusted"
	// ReasonUnexpectedStatus and ReasonUnexpectedBody are about its answer.
	ReasonUnexpectedStatus = "UnexpectedStatus"
	ReasonUnexpectedBody   = "UnexpectedBody"
)

// How endpoints are asked, unless their probes say otherwise.
const (
	// defaultProbeTimeout is how long an endpoint has for its whole answer.
	defaultProbeTimeout = 5 * time.Second
	// defaultProbeInterval is how often it is asked again: nothing tells of a change. See
	// healthcheck.NamedCheck.Interval.
	defaultProbeInterval = 30 * time.Second
)

// endpoint makes a check of a probe. An address that is empty is missing.
func endpoint[T any](name, kind string, timeout, interval time.Duration, options []Option,
	find func(T) string, probe func(context.Context, healthcheck.Input[T], string) healthcheck.Result,
) healthcheck.NamedCheck[T] {
	missing := settingsOf(options).missing
	check := func(ctx context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		address := find(in.Object)
		if address == "" {
			return missing(notFound("There is no address of " + kind)), nil
		}
		limited, cancel := context.WithTimeout(ctx, cmp.Or(timeout, defaultProbeTimeout))
		defer cancel()
		r := probe(limited, in, address)
		if ctx.Err() != nil && r.Status != healthcheck.True {
			// It is the time of the check that is over, and not that of the endpoint.
			return healthcheck.Result{}, ctx.Err()
		}
		r.Message = clip(r.Message)
		return r, nil
	}
	return healthcheck.NamedCheck[T]{Name: name, Check: healthcheck.CheckFunc[T](check), Interval: cmp.Or(interval, defaultProbeInterval)}
}

// unanswered is for an endpoint that could not be asked.
func unanswered(who string, err error) healthcheck.Result {
	reason := ReasonUnreachable
	if network.Untrusted(err) {
		reason = ReasonNotTrusted
	}
	return unhealthy(reason, "%s %s", who, network.Cause(err))
}

// badAddress does not say which it is: one that cannot be read may have anything in it.
func badAddress(kind string) healthcheck.Result {
	return unhealthy(ReasonBadAddress, "The address of %s cannot be read", kind)
}

// TCPProbe is how a TCP endpoint is asked. The zero value is good.
type TCPProbe struct {
	// Timeout bounds the making of the connection. The default is 5 seconds.
	Timeout time.Duration
	// Interval is how often it is asked: see healthcheck.NamedCheck. An address from the status of the
	// object may be that much late. The default is 30 seconds.
	Interval time.Duration
}

// TCP is a check that an endpoint takes connections. Find returns its address, as
// "shop.example.com:5432"; an empty one is False with ReasonNotFound, or what an option
// says. The connection is closed at once.
//
// It is False if the connection is not made in time (ReasonUnreachable), or if the address
// is none (ReasonBadAddress). A single lost packet is no outage: see
// healthcheck.ConditionChecks.Damping.
//
// The address decides where this process connects. Check it first if it comes from people
// you do not trust.
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
		_ = conn.Close() // All there was to know is known.
		return healthy()
	}
	return endpoint(name, kind, probe.Timeout, probe.Interval, options, find, ask)
}
