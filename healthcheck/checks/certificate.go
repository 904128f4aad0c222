package checks

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// The reasons of results about certificates.
const (
	// ReasonNoCertificate says that there is none, or none that can be read.
	ReasonNoCertificate = "NoCertificate"
	// ReasonNotYetValid, ReasonExpiring and ReasonExpired are about its time.
	ReasonNotYetValid = "CertificateNotYetValid"
	ReasonExpiring    = "CertificateExpiring"
	ReasonExpired     = "CertificateExpired"
	// ReasonWrongName says that it is for another name.
	ReasonWrongName = "CertificateForAnotherName"
)

// defaultWarning is when an Expiry warns if it does not say.
const defaultWarning = 14 * 24 * time.Hour

// Expiry is what is demanded of certificates in PEM. The zero value demands that they can
// be read and are valid.
//
// All certificates that are there count, such as those of intermediate authorities: the
// first to expire decides. What is no certificate, such as a key, is passed over.
type Expiry struct {
	// Key is where a Secret has the certificates. The default is that of a TLS secret,
	// "tls.crt".
	Key string
	// Warning is the time before a certificate expires in which it should have been
	// renewed: from then on the result is Progressing. The default is 14 days, or a
	// fifth of the lifetime of the certificate if that is less. A negative one is none.
	Warning time.Duration
	// Deadline is how much time must be left: with less, the result is False. The default
	// is none: a certificate is good until it expires.
	Deadline time.Duration
	// Names are host names or IP addresses that the first certificate must be for.
	Names []string
}

// Certificate is a check of the certificates in a Secret that another object depends on.
// Find says which, as that of One does.
//
// It is False if they have expired or are about to (ReasonExpired, ReasonExpiring), are not
// valid yet (ReasonNotYetValid), are for another name (ReasonWrongName), or if there is
// none that can be read (ReasonNoCertificate). In the time of the warning it is
// Progressing (ReasonExpiring) until Expiry.Deadline. The message has the subject, the
// date, and the limit in days that is passed; it does not count them down.
//
// A client that reads from a cache has the cache hold all Secrets that it may list: limit
// it to those in question, or have it read Secrets past its cache.
func Certificate[T any](name string, cluster Cluster, find func(T) *corev1.Secret, expiry Expiry, options ...Option) healthcheck.NamedCheck[T] {
	rule := func(secret *corev1.Secret, now time.Time) healthcheck.Result {
		return expiry.Judge(secret.Data[cmp.Or(expiry.Key, corev1.TLSCertKey)], now)
	}
	return oneAt(name, cluster, find, rule, options)
}

// CertificateBytes is a check of certificates that the object under examination has in it,
// as PEM. It says what Certificate says.
func CertificateBytes[T any](name string, find func(T) []byte, expiry Expiry) healthcheck.NamedCheck[T] {
	check := func(_ context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		return expiry.Judge(find(in.Object), in.Now), nil
	}
	return healthcheck.NamedCheck[T]{Name: name, Check: healthcheck.CheckFunc[T](check)}
}

// Judge judges certificates in PEM as they are at now. It is what Certificate does with
// those of a Secret, for certificates from elsewhere. Nothing of what cannot be read is in
// the message.
func (e Expiry) Judge(data []byte, now time.Time) healthcheck.Result {
	certificates, err := parse(data)
	if err != nil {
		return unhealthy(ReasonNoCertificate, "%s", err)
	}
	if len(certificates) == 0 {
		return unhealthy(ReasonNoCertificate, "There is no certificate")
	}
	return e.judge(certificates, now)
}

// parse reads all certificates. Its error quotes nothing.
func parse(data []byte) ([]*x509.Certificate, error) {
	var certificates []*x509.Certificate
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("Certificate %d cannot be read", len(certificates)+1)
		}
		certificates = append(certificates, certificate)
	}
	return certificates, nil
}

// judge judges one chain at least one long, the first of which is the one with the names.
func (e Expiry) judge(chain []*x509.Certificate, now time.Time) healthcheck.Result {
	for _, name := range e.Names {
		if chain[0].VerifyHostname(name) != nil {
			return unhealthy(ReasonWrongName, "Certificate of %s is not for %s", subject(chain[0]), name)
		}
	}
	first := chain[0]
	for _, c := range chain {
		if now.Before(c.NotBefore) {
			r := unhealthy(ReasonNotYetValid, "Certificate of %s is not valid before %s", subject(c), date(c.NotBefore))
			r.RecheckAt = c.NotBefore
			return r
		}
		if c.NotAfter.Before(first.NotAfter) {
			first = c
		}
	}
	return e.remaining(first, now)
}

// remaining judges the time that is left.
func (e Expiry) remaining(c *x509.Certificate, now time.Time) healthcheck.Result {
	deadline := max(e.Deadline, 0)
	warning := max(deadline, cmp.Or(e.Warning, min(defaultWarning, c.NotAfter.Sub(c.NotBefore)/5)))
	expiring := func(limit time.Duration) healthcheck.Result {
		return unhealthy(ReasonExpiring, "Certificate of %s expires on %s, in less than %s", subject(c), date(c.NotAfter), days(limit))
	}
	switch left := c.NotAfter.Sub(now); {
	case left <= 0:
		return unhealthy(ReasonExpired, "Certificate of %s expired on %s", subject(c), date(c.NotAfter))
	case left <= deadline:
		r := expiring(deadline)
		r.RecheckAt = c.NotAfter
		return r
	case left <= warning:
		r := expiring(warning)
		r.Status, r.Deadline = healthcheck.Progressing, c.NotAfter.Add(-deadline)
		return r
	default:
		r := healthy()
		r.RecheckAt = c.NotAfter.Add(-warning)
		return r
	}
}

// date prints a moment, which is the same wherever this runs.
func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// days prints a limit in whole days, rounded up, so that "less than" stays true.
func days(d time.Duration) string {
	if n := math.Ceil(d.Hours() / 24); n > 1 {
		return fmt.Sprintf("%.0f days", n)
	}
	return "a day"
}

// maxSubject is how much of a subject goes into a message.
const maxSubject = 200

// subject says whose certificate it is. Many have no subject but their names.
func subject(c *x509.Certificate) string {
	text := c.Subject.String()
	switch {
	case text != "":
	case len(c.DNSNames) > 0:
		text = c.DNSNames[0]
	case len(c.IPAddresses) > 0:
		text = c.IPAddresses[0].String()
	default:
		text = "serial number " + c.SerialNumber.String()
	}
	return clipTo(maxSubject, oneLine(text))
}
