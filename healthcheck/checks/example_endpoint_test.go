package checks_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// The certificate of a shop should be renewed 30 days before it expires, and must be renewed 7 days before.
func ExampleCertificate() {
	secret := func(s *Shop) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name + "-tls"}}
	}
	check := checks.Certificate("certificate", checks.Source, secret, checks.Expiry{Warning: 30 * 24 * time.Hour, Deadline: 7 * 24 * time.Hour})

	// This certificate is that of the package net/http/httptest, which expires in 2084.
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	cluster := fake.NewFakeClient(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "mall", Name: "books-tls"},
		Data:       map[string][]byte{corev1.TLSCertKey: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})},
	})
	books := &Shop{ObjectMeta: metav1.ObjectMeta{Namespace: "mall", Name: "books"}}
	for _, now := range []string{"2026-07-01", "2084-01-10", "2084-01-25", "2084-02-01"} {
		at, _ := time.Parse(time.DateOnly, now)
		r, _ := check.Check.Check(context.Background(), healthcheck.Input[*Shop]{Object: books, Now: at, Env: healthcheck.Env{Source: cluster}})
		fmt.Println(now, r.Status, r.Reason)
		fmt.Println(r.Message)
	}
	// Output:
	// 2026-07-01 True Healthy
	//
	// 2084-01-10 Progressing CertificateExpiring
	// Secret mall/books-tls: Certificate of O=Acme Co expires on 2084-01-29 16:00 UTC, in less than 30 days
	// 2084-01-25 False CertificateExpiring
	// Secret mall/books-tls: Certificate of O=Acme Co expires on 2084-01-29 16:00 UTC, in less than 7 days
	// 2084-02-01 False CertificateExpired
	// Secret mall/books-tls: Certificate of O=Acme Co expired on 2084-01-29 16:00 UTC
}

// A shop must say that it is open. Three failures in a row make it unhealthy.
func ExampleHTTP() {
	url := func(s *Shop) string { return s.Annotations["example.com/health"] }
	open := checks.HTTP("open", url, checks.HTTPProbe{
		Timeout: time.Second, Interval: time.Minute, Body: checks.BodyMatches(regexp.MustCompile("^open$")),
	})
	condition := healthcheck.NewCondition("Open", open)
	condition.Damping = healthcheck.Damping{Failures: 3}

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "closed") }))
	defer server.Close()
	books := &Shop{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"example.com/health": server.URL + "/health?token=s3cret"}}}
	r, err := condition.Checks[0].Check.Check(context.Background(), healthcheck.Input[*Shop]{Object: books})
	fmt.Println(r.Status, r.Reason, err)
	fmt.Println(strings.ReplaceAll(r.Message, server.Listener.Addr().String(), "shop.example.com"))
	// Output:
	// False UnexpectedBody <nil>
	// shop.example.com answers with an unexpected body: it does not match ^open$
}

// The database of a shop must accept connections.
func ExampleTCP() {
	server := httptest.NewServer(nil)
	address := server.Listener.Addr().String()
	check := checks.TCP("database", func(*Shop) string { return address }, checks.TCPProbe{Interval: time.Minute})
	ask := func() {
		r, err := check.Check.Check(context.Background(), healthcheck.Input[*Shop]{Object: &Shop{}})
		fmt.Println(r.Status, r.Reason, strings.ReplaceAll(r.Message, address, "database:5432"), err)
	}
	ask()
	server.Close()
	ask()
	// Output:
	// True Healthy  <nil>
	// False Unreachable database:5432 refuses connections <nil>
}

// An Ingress controller must have certificates for all names of a shop.
func ExampleTLS() {
	server := httptest.NewTLSServer(nil) // It has a certificate for example.com.
	defer server.Close()

	trusted := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	names := func(*Shop) (string, []string) {
		return server.Listener.Addr().String(), []string{"example.com", "shop.example.org"}
	}
	check := checks.TLS("names", names, checks.TLSProbe{Roots: trusted})

	r, err := check.Check.Check(context.Background(), healthcheck.Input[*Shop]{Object: &Shop{}, Now: time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	fmt.Println(r.Status, r.Reason, err)
	fmt.Println(strings.ReplaceAll(r.Message, port, "443"))
	// Output:
	// False CertificateNotTrusted <nil>
	// 127.0.0.1:443, asked for shop.example.org, has a certificate that cannot be trusted: it is for another name
}
