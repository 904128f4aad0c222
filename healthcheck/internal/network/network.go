// Package network describes network errors in words that stay the same.
//
// The errors of net, net/http, crypto/tls and crypto/x509 contain the local port, which
// differs for each connection, the time, stream numbers, and whole addresses with any secrets
// in them. A condition with such a text is written in each run. This is the one place that
// turns them into words for a condition.
package network

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
)

// Cause returns what is wrong with the other side, such as "refuses connections". It is for
// network errors: for any other error it says that the other side cannot be reached.
func Cause(err error) string {
	if problem := certificate(err); problem != "" {
		return "has a certificate that cannot be trusted: it is " + problem
	}
	for _, kind := range causes {
		if kind.is(err) {
			return kind.words
		}
	}
	return unreachable
}

const unreachable = "cannot be reached"

// Untrusted reports whether the certificate of the other side is the problem.
func Untrusted(err error) bool { return certificate(err) != "" }

// causes are tried in order.
var causes = []struct {
	words string
	is    func(error) bool
}{
	{"has a name that cannot be resolved", is[*net.DNSError]},
	{"has an invalid address", isAddress},
	{"refuses connections", func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }},
	{"does not answer in time", isTimeout},
	{"was not reached before the request was cancelled", func(err error) bool { return errors.Is(err, context.Canceled) }},
	{"does not speak TLS", isPlain},
	{"refuses the TLS handshake", isAlert},
	{"closes connections early", isCutOff},
}

func is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}

func isAddress(err error) bool {
	requested, _ := errors.AsType[*url.Error](err)
	return is[*net.AddrError](err) || is[net.InvalidAddrError](err) || (requested != nil && requested.Op == "parse")
}

func isTimeout(err error) bool {
	timed, ok := errors.AsType[net.Error](err)
	return (ok && timed.Timeout()) || errors.Is(err, context.DeadlineExceeded)
}

func isPlain(err error) bool {
	return is[tls.RecordHeaderError](err) || errors.Is(err, http.ErrSchemeMismatch)
}

// isAlert reports whether the other side ended the handshake with an alert, whose type is not
// exported.
func isAlert(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "remote error"
}

func isCutOff(err error) bool {
	for _, cut := range []error{syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, cut) {
			return true
		}
	}
	return false
}

// certificate returns what is wrong with the certificate of the other side; empty if nothing
// is.
func certificate(err error) string {
	if is[x509.UnknownAuthorityError](err) {
		return "signed by an unknown authority"
	}
	if is[x509.HostnameError](err) {
		return "for another name"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return "expired, or not valid yet"
		}
		return "invalid"
	}
	if is[*tls.CertificateVerificationError](err) {
		return "invalid"
	}
	return ""
}

// words replaces the text of a network error.
func words(err error) string {
	cause := Cause(err)
	if requested, ok := errors.AsType[*url.Error](err); ok && cause == unreachable && !is[*net.OpError](err) {
		// The transport itself failed, for example while getting its credential.
		return peer(err) + ": " + requested.Err.Error()
	}
	return peer(err) + " " + cause
}

// peer returns the name of the other side as the caller gave it: not the address that it
// resolves to, and only the host of a URL.
func peer(err error) string {
	if requested, ok := errors.AsType[*url.Error](err); ok {
		if u, parseErr := url.Parse(requested.URL); parseErr == nil && u.Host != "" {
			return u.Host
		}
	}
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		return cmp.Or(lookup.Name, unnamed)
	}
	return unnamed
}

const unnamed = "the other side"
