package checks_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

const day = 24 * time.Hour

// noon is when certificates are checked, 50 days after they were issued; those for 100 days have 50 days left.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// authority signs certificates; nothing trusts it.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: noon.Add(-1000 * day), NotAfter: noon.Add(1000 * day), KeyUsage: x509.KeyUsageCertSign,
	}
	return authority{sign(t, template, template, key, key), key}
}

func sign(t testing.TB, template, parent *x509.Certificate, of, by *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &of.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// issue returns a certificate with the given validity left at noon; changes are applied to its template.
func (a authority) issue(t testing.TB, left time.Duration, changes ...func(*x509.Certificate)) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "shop"}, DNSNames: []string{"shop.example.com"},
		NotBefore: noon.Add(-50 * day), NotAfter: noon.Add(left),
	}
	for _, change := range changes {
		change(template)
	}
	return sign(t, template, a.certificate, key, a.key), key
}

// pemOf encodes certificates.
func pemOf(certificates ...*x509.Certificate) []byte {
	var out bytes.Buffer
	for _, c := range certificates {
		_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
	}
	return out.Bytes()
}

func TestExpiry(t *testing.T) {
	a := newAuthority(t)
	left := func(left time.Duration, changes ...func(*x509.Certificate)) []byte {
		c, _ := a.issue(t, left, changes...)
		return pemOf(c)
	}
	again := func(r healthcheck.Result, at time.Time) healthcheck.Result {
		r.RecheckAt = at
		return r
	}
	warned := func(message string, deadline time.Time) healthcheck.Result {
		return healthcheck.Result{Status: healthcheck.Progressing, Reason: checks.ReasonExpiring, Message: message, Deadline: deadline}
	}
	nameless := func(change func(*x509.Certificate)) func(*x509.Certificate) {
		return func(c *x509.Certificate) {
			c.Subject, c.DNSNames = pkix.Name{}, nil
			change(c)
		}
	}
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("s3cret")})
	expired := func(who string) healthcheck.Result {
		return fails(checks.ReasonExpired, "Certificate of "+who+" expired on 2026-06-30 12:00 UTC")
	}
	in := noon.Add
	tests := map[string]struct {
		expiry checks.Expiry
		data   []byte
		want   healthcheck.Result
	}{
		"good":              {checks.Expiry{}, left(50 * day), again(passes, in(36*day))},
		"warning":           {checks.Expiry{}, left(10 * day), warned("Certificate of CN=shop expires on 2026-07-11 12:00 UTC, in less than 12 days", in(10*day))},
		"last moment":       {checks.Expiry{}, left(time.Second), warned("Certificate of CN=shop expires on 2026-07-01 12:00 UTC, in less than 11 days", in(time.Second))},
		"expired":           {checks.Expiry{}, left(-day), expired("CN=shop")},
		"just expired":      {checks.Expiry{}, left(0), fails(checks.ReasonExpired, "Certificate of CN=shop expired on 2026-07-01 12:00 UTC")},
		"wider":             {checks.Expiry{Warning: 30 * day}, left(20 * day), warned("Certificate of CN=shop expires on 2026-07-21 12:00 UTC, in less than 30 days", in(20*day))},
		"narrower":          {checks.Expiry{Warning: day}, left(20 * day), again(passes, in(19*day))},
		"at the warning":    {checks.Expiry{Warning: 20 * day}, left(20 * day), warned("Certificate of CN=shop expires on 2026-07-21 12:00 UTC, in less than 20 days", in(20*day))},
		"without warning":   {checks.Expiry{Warning: -1}, left(time.Second), again(passes, in(time.Second))},
		"before deadline":   {checks.Expiry{Deadline: 7 * day}, left(10 * day), warned("Certificate of CN=shop expires on 2026-07-11 12:00 UTC, in less than 12 days", in(3*day))},
		"past deadline":     {checks.Expiry{Deadline: 7 * day}, left(5 * day), again(fails(checks.ReasonExpiring, "Certificate of CN=shop expires on 2026-07-06 12:00 UTC, in less than 7 days"), in(5*day))},
		"deadline, warning": {checks.Expiry{Deadline: 7 * day, Warning: day}, left(8 * day), again(passes, in(day))},
		"hours":             {checks.Expiry{Warning: time.Hour}, left(time.Minute), warned("Certificate of CN=shop expires on 2026-07-01 12:01 UTC, in less than a day", in(time.Minute))},
		"not yet":           {checks.Expiry{}, left(50*day, func(c *x509.Certificate) { c.NotBefore = in(day) }), again(fails(checks.ReasonNotYetValid, "Certificate of CN=shop is not valid before 2026-07-02 12:00 UTC"), in(day))},
		"its name":          {checks.Expiry{Names: []string{"shop.example.com"}}, left(50 * day), again(passes, in(36*day))},
		"another name":      {checks.Expiry{Names: []string{"shop.example.com", "mall.example.com"}}, left(50 * day), fails(checks.ReasonWrongName, "Certificate of CN=shop is not for mall.example.com")},
		"a chain":           {checks.Expiry{}, append(left(50*day), left(-day, func(c *x509.Certificate) { c.Subject.CommonName = "step" })...), expired("CN=step")},
		"with a key":        {checks.Expiry{}, append(key, left(-day)...), expired("CN=shop")},
		"by DNS name":       {checks.Expiry{}, left(-day, nameless(func(c *x509.Certificate) { c.DNSNames = []string{"a.b", "c.d"} })), expired("a.b")},
		"by address":        {checks.Expiry{}, left(-day, nameless(func(c *x509.Certificate) { c.IPAddresses = []net.IP{net.IPv4(10, 0, 0, 7)} })), expired("10.0.0.7")},
		"by number":         {checks.Expiry{}, left(-day, nameless(func(*x509.Certificate) {})), expired("serial number 7")},
		"long subject":      {checks.Expiry{}, left(-day, func(c *x509.Certificate) { c.Subject.CommonName = strings.Repeat("a", 300) }), expired("CN=" + strings.Repeat("a", 197) + "...")},
		"nothing":           {checks.Expiry{}, nil, fails(checks.ReasonNoCertificate, "There is no certificate")},
		"only a key":        {checks.Expiry{}, key, fails(checks.ReasonNoCertificate, "There is no certificate")},
		"broken":            {checks.Expiry{}, append(left(50*day), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("s3cret")})...), fails(checks.ReasonNoCertificate, "There is no whole chain: certificate 2 cannot be read")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.expiry.Judge(tt.data, noon)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestExpiryInTime: the text changes only with the verdict; each verdict says when the next one is due, and the last is
// False.
func TestExpiryInTime(t *testing.T) {
	c, _ := newAuthority(t).issue(t, 50*day)
	expiry, data := checks.Expiry{Deadline: 2 * day}, pemOf(c)
	var said []string
	for now := noon; ; {
		r := expiry.Judge(data, now)
		said = append(said, string(r.Status)+" "+r.Reason)
		next := r.NextChange()
		if next.IsZero() {
			break
		}
		if before := expiry.Judge(data, next.Add(-time.Nanosecond)); !cmp.Equal(before, r) {
			t.Errorf("it says %+v, and just before its next change %+v", r, before)
		}
		now = next
	}
	want := []string{"True Healthy", "Progressing CertificateExpiring", "False CertificateExpiring", "False CertificateExpired"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCertificate(t *testing.T) {
	c, _ := newAuthority(t).issue(t, -day)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "tls"}, Data: map[string][]byte{"tls.crt": pemOf(c), "ca.crt": []byte("s3cret")}}
	find := func(ns *corev1.Namespace) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "tls"}}
	}
	const expired = "Certificate of CN=shop expired on 2026-06-30 12:00 UTC"
	there, none := fake.NewFakeClient(secret), fake.NewFakeClient()
	skipped := healthcheck.Result{Status: healthcheck.Skipped, Reason: checks.ReasonNotFound, Message: "Secret shop/tls is not found"}
	tests := map[string]struct {
		check healthcheck.NamedCheck[*corev1.Namespace]
		env   healthcheck.Env
		want  healthcheck.Result
	}{
		"expired":   {checks.Certificate("tls", checks.Source, find, checks.Expiry{}), healthcheck.Env{Source: there}, fails(checks.ReasonExpired, "Secret shop/tls: "+expired)},
		"in target": {checks.Certificate("tls", checks.Target, find, checks.Expiry{}), healthcheck.Env{Target: there}, fails(checks.ReasonExpired, "Secret shop/tls: "+expired)},
		"other key": {checks.Certificate("tls", checks.Source, find, checks.Expiry{Key: "ca.crt"}), healthcheck.Env{Source: there}, fails(checks.ReasonNoCertificate, "Secret shop/tls: There is no certificate")},
		"none":      {checks.Certificate("tls", checks.Source, find, checks.Expiry{}, checks.MissingIsSkipped()), healthcheck.Env{Source: none}, skipped},
		"bytes":     {checks.CertificateBytes("tls", func(*corev1.Namespace) []byte { return pemOf(c) }, checks.Expiry{}), healthcheck.Env{}, fails(checks.ReasonExpired, expired)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tt.check.Check.Check(t.Context(), healthcheck.Input[*corev1.Namespace]{Object: shop, Now: noon, Env: tt.env})
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got)\n%s", err, diff)
			}
		})
	}
}

// FuzzCertificates: any bytes give a verdict with one short line, and after a few rechecks the verdict stays.
func FuzzCertificates(f *testing.F) {
	a := newAuthority(f)
	c, _ := a.issue(f, 50*day)
	f.Add(pemOf(c, a.certificate), int64(0))
	f.Add(pemOf(c), int64(200*day))
	f.Add(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw[:100]}), int64(-day))
	f.Add([]byte("-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----"), int64(0))
	f.Add(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED"}, Bytes: c.Raw}), int64(0))
	f.Fuzz(func(t *testing.T, data []byte, offset int64) {
		now := noon.Add(time.Duration(offset))
		expiry := checks.Expiry{Deadline: day}
		for range len(data)/100 + 5 { // A certificate takes more bytes than that, and starts once.
			r := expiry.Judge(data, now)
			if (r.Status == healthcheck.True) != (r.Message == "") || !utf8.ValidString(r.Message) || strings.ContainsAny(r.Message, "\r\n") || len(r.Message) > 1500 {
				t.Fatalf("says %+v", r)
			}
			next := r.NextChange()
			if next.IsZero() {
				return
			}
			if !next.After(now) {
				t.Fatalf("at %s the next look is at %s: %+v", now, next, r)
			}
			now = next
		}
		t.Errorf("there is no end")
	})
}

// TestUnreadableBlocks: a certificate that cannot be read, such as a leaf that runs into the next one because its file has no final newline, does
// not leave the judgement to the others.
func TestUnreadableBlocks(t *testing.T) {
	const begin, end = "-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n"
	a := newAuthority(t)
	c, _ := a.issue(t, 50*day)
	expired, _ := a.issue(t, -day)
	good := pemOf(c)
	for name, data := range map[string][]byte{
		"expired leaf without a final newline": slices.Concat(bytes.TrimSpace(pemOf(expired)), good, pemOf(a.certificate)),
		"broken base64 before a good one":      append([]byte(begin+"MIIB!!!!notbase64\n"+end), good...),
		"truncated after a good one":           append(bytes.Clone(good), good[:len(good)/2]...),
		"without its end before a good one":    append([]byte(begin+"MIIBAAAA\n"), good...),
	} {
		if r := (checks.Expiry{}).Judge(data, noon); r.Status != healthcheck.False || r.Reason != checks.ReasonNoCertificate {
			t.Errorf("%s: %s %s %q", name, r.Status, r.Reason, r.Message)
		}
	}
}
