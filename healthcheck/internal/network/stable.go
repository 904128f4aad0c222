package network

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// Stable returns an error that says the same for the same problem. What others have put
// around an error of the network stays, as "getting Deployment shop/web: "; the error of
// the network itself says what Cause says. It wraps err. It is nil if err is.
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

// stableError has another text than the error in it.
type stableError struct {
	text string
	err  error
}

// Error implements error.
func (e *stableError) Error() string { return e.text }

// Unwrap returns what happened, with all its details.
func (e *stableError) Unwrap() error { return e.err }

// scrubs are for texts that came without their errors: those of an API server that could
// not reach somebody else, or of a library that quotes. They are what differs each time.
var scrubs = []struct {
	pattern *regexp.Regexp
	by      string
}{
	// The client of Kubernetes tells of the try before, of which there may have been one or not.
	{regexp.MustCompile(` - error from a previous attempt: [^\n]*`), ""},
	// read tcp 10.0.0.7:41234->10.0.0.1:443: the first is the local one.
	{regexp.MustCompile(`\b(tcp|udp)([46]?) \S+:\d+->(\S+:\d+)`), "$1$2 $3"},
	{regexp.MustCompile(`: current time \S+ is (before|after) (\S+)`), " ($1 $2)"},
	{regexp.MustCompile(`\b(LastStreamID=|stream ID )\d+`), "${1}N"},
	// https://user:password@host/path?token=...
	{regexp.MustCompile(`(\b[a-z][a-z0-9+.-]*://)[^\s/"']*@`), "$1"},
	{regexp.MustCompile(`(\b[a-z][a-z0-9+.-]*://[^\s?"']+)\?[^\s"']*`), "$1"},
}

// outermost returns the errors of the network in err, each as it begins: a url.Error, and
// not the net.OpError in it.
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

// isNetwork reports whether err is itself an error of the network. A net.Error is not
// enough: errors of files are that, too.
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
