package network

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// Stable returns an error whose text is the same for the same problem. Text that others put
// around a network error stays, such as "getting Deployment shop/web: "; Cause replaces that of
// the network error itself. It wraps err, and is nil if err is.
func Stable(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, failure := range outermost(err) {
		text = strings.ReplaceAll(text, failure.Error(), words(failure))
	}
	for _, scrub := range scrubs {
		text = scrub.pattern.ReplaceAllString(text, scrub.by)
	}
	if text == err.Error() {
		return err
	}
	return &stableError{text, err}
}

// stableError has another text than the error that it wraps.
type stableError struct {
	text string
	err  error
}

// Error implements error.
func (e *stableError) Error() string { return e.text }

// Unwrap returns the underlying error with all its details.
func (e *stableError) Unwrap() error { return e.err }

// scrubs remove what differs each time from texts without error values, such as those of an API
// server that could not reach something, or of a library that quotes.
var scrubs = []struct {
	pattern *regexp.Regexp
	by      string
}{
	// The Kubernetes client mentions an earlier attempt, if there was one.
	{regexp.MustCompile(` - error from a previous attempt: [^\n]*`), ""},
	// read tcp 10.0.0.7:41234->10.0.0.1:443: the first is the local one.
	{regexp.MustCompile(`\b(tcp|udp)([46]?) \S+:\d+->(\S+:\d+)`), "$1$2 $3"},
	{regexp.MustCompile(`: current time \S+ is (before|after) (\S+)`), " ($1 $2)"},
	{regexp.MustCompile(`\b(LastStreamID=|stream ID )\d+`), "${1}N"},
	// https://user:password@host/path?token=...
	{regexp.MustCompile(`(\b[a-z][a-z0-9+.-]*://)[^\s/"']*@`), "$1"},
	{regexp.MustCompile(`(\b[a-z][a-z0-9+.-]*://[^\s?"']+)\?[^\s"']*`), "$1"},
}

// outermost returns the outermost network errors in err: a url.Error, not the net.OpError in
// it.
func outermost(err error) []error {
	if isNetwork(err) {
		return []error{err}
	}
	//nolint:errorlint // The tree is walked here.
	switch wrapper := err.(type) {
	case interface{ Unwrap() error }:
		if inner := wrapper.Unwrap(); inner != nil {
			return outermost(inner)
		}
	case interface{ Unwrap() []error }:
		var found []error
		for _, inner := range wrapper.Unwrap() {
			found = append(found, outermost(inner)...)
		}
		return found
	}
	return nil
}

// isNetwork reports whether err is itself a network error. Being a net.Error is not enough:
// file errors are, too.
func isNetwork(err error) bool {
	//nolint:errorlint // Of this error it is asked, and not of those in it.
	switch err.(type) {
	case *url.Error, *net.OpError, *net.DNSError, *net.AddrError, *net.ParseError, net.UnknownNetworkError, net.InvalidAddrError,
		*tls.CertificateVerificationError, tls.RecordHeaderError,
		x509.UnknownAuthorityError, x509.HostnameError, x509.CertificateInvalidError:
		return true
	default:
		return false
	}
}
