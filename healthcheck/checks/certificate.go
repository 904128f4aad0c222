package checks

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Reasons of results about certificates.
const (
	// ReasonNoCertificate means that there is no certificate, or one that cannot be parsed.
	ReasonNoCertificate = "NoCertificate"
	// ReasonNotYetValid, ReasonExpiring and ReasonExpired are about the validity period.
	ReasonNotYetValid = "CertificateNotYetValid"
	ReasonExpiring    = "CertificateExpiring"
	ReasonExpired     = "CertificateExpired"
	// ReasonWrongName means that the certificate is for another name.
	ReasonWrongName = "CertificateForAnotherName"
)

// defaultWarning is the default of Expiry.Warning.
const defaultWarning = 14 * 24 * time.Hour

// defaultCertificatePoll is the default of Expiry.Poll: certificates are renewed days before they expire.
const defaultCertificatePoll = 10 * time.Minute

// Expiry says what is required of certificates in PEM. The zero value requires that they
// can be parsed and are valid.
//
// All certificates in the data count, including intermediate ones: the first to expire
// decides. Other PEM blocks, such as keys, are ignored.
type Expiry struct {
	// Key is the key of the certificates in the Secret's data. The default is that of a TLS
	// secret, "tls.crt".
	Key string
	// Warning is how long before its expiry a certificate should be renewed: from then on
	// the result is Progressing. It must not be less than Deadline. The default is 14 days,
	// or a fifth of the certificate's lifetime if that is less; if that is not more than
	// Deadline, it counts from Deadline. A negative value switches the warning off.
	Warning time.Duration
	// Deadline is the minimum remaining validity: with less, the result is False. The
	// default is zero: a certificate is good until it expires.
	Deadline time.Duration
	// Poll is how often Certificate reads the Secret again if nothing watches Secrets: see healthcheck.NamedCheck. The default
	// is 10 minutes, and 30 seconds while the certificates are not good.
	Poll time.Duration
	// Names are host names or IP addresses that the first certificate must be valid for.
	Names []string
}

// Certificate checks the certificates in a Secret that another object depends on. Find
// returns the Secret to read, as in One.
//
// It is False if the certificates have expired or are about to (ReasonExpired,
// ReasonExpiring), are not valid yet (ReasonNotYetValid), or are for another name
// (ReasonWrongName), or if there is none, or one that cannot be parsed
// (ReasonNoCertificate). In the warning period it is Progressing (ReasonExpiring) until
// Expiry.Deadline. The message contains the subject, the date, and the limit in days that
// has been passed; it does not count down.
//
// A client that reads from a cache makes the cache hold all Secrets that it may list: limit
// the cache to the Secrets in question, or read Secrets without it.
func Certificate[T any](name string, cluster Cluster, find func(T) *corev1.Secret, expiry Expiry, options ...Option) healthcheck.NamedCheck[T] {
	rule := func(secret *corev1.Secret, now time.Time) healthcheck.Result {
		return expiry.Judge(secret.Data[cmp.Or(expiry.Key, corev1.TLSCertKey)], now)
	}
	named := oneAt(name, cluster, find, rule, options)
	named = also(named, expiry.validate())
	named.Poll = cmp.Or(expiry.Poll, defaultCertificatePoll)
	return named
}

// CertificateBytes checks certificates in PEM that the checked object itself contains. The
// results are those of Certificate.
func CertificateBytes[T any](name string, find func(T) []byte, expiry Expiry) healthcheck.NamedCheck[T] {
	check := func(_ context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		return expiry.Judge(find(in.Object), in.Now), nil
	}
	return healthcheck.NamedCheck[T]{Name: name, Check: checkOf(check, required(find == nil, errNoFind), expiry.validate())}
}

// Judge judges certificates in PEM as they are at now. Certificate uses it for those of a
// Secret; use it for certificates from elsewhere. The message quotes nothing of data that
// cannot be parsed.
func (e Expiry) Judge(data []byte, now time.Time) healthcheck.Result {
	certificates, err := parse(data)
	if err != nil {
		return unhealthy(ReasonNoCertificate, "There is no whole chain: %s", err)
	}
	if len(certificates) == 0 {
		return unhealthy(ReasonNoCertificate, "There is no certificate")
	}
	return e.judge(certificates, now)
}

// parse parses all certificates. Its error quotes nothing.
func parse(data []byte) ([]*x509.Certificate, error) {
	var certificates []*x509.Certificate
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d cannot be read", len(certificates)+1)
		}
		certificates = append(certificates, certificate)
	}
	// Decode skips a block without its end, one with broken base64, and one that begins on the line on which another ends.
	if bytes.Count(data, []byte("-----BEGIN CERTIFICATE-----")) != len(certificates) {
		return nil, errors.New("a certificate cannot be read")
	}
	return certificates, nil
}

// judge judges a non-empty chain. Names apply to its first certificate.
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

// remaining judges the remaining validity.
func (e Expiry) remaining(c *x509.Certificate, now time.Time) healthcheck.Result {
	deadline := max(e.Deadline, 0)
	early := min(defaultWarning, c.NotAfter.Sub(c.NotBefore)/5)
	if early <= deadline {
		early += deadline
	}
	warning := max(deadline, cmp.Or(e.Warning, early))
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

// date prints a moment in UTC, so that the text is the same everywhere.
func date(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// days prints a limit in whole days, rounded up, so that "less than" stays true.
func days(d time.Duration) string {
	if n := math.Ceil(d.Hours() / 24); n > 1 {
		return fmt.Sprintf("%.0f days", n)
	}
	return "a day"
}

// maxSubject is the maximum length of a subject in a message.
const maxSubject = 200

// subject returns whose certificate it is. Many have names but no subject.
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
