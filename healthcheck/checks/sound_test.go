package checks_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// TestSound: the checks of this package pass the assertions for custom checks, even if an endpoint resets each connection.
func TestSound(t *testing.T) {
	home, other := serve(t, pages("")), serve(t, pages(""))
	other.Close()
	soon, _ := newAuthority(t).issue(t, 5*day)
	cluster := fake.NewFakeClient(deployment(unavailable), pod("shop", "a", "Running"), pod("shop", "b", "Pending"),
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "tls"}, Data: map[string][]byte{"tls.crt": pemOf(soon)}})
	secret := func(ns *corev1.Namespace) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "tls"}}
	}
	tls := func(*corev1.Namespace) (string, []string) { return home.host(), nil }
	for _, check := range []healthcheck.NamedCheck[*corev1.Namespace]{
		checks.One("one", checks.Source, web, checks.DeploymentRolledOut),
		checks.One("one within", checks.Source, web, checks.Tolerate(time.Minute, checks.Deployment)),
		checks.Each("each", checks.Target, pods, checks.Tolerate(time.Minute, checks.Pod), checks.MissingWithin(time.Minute)),
		checks.Certificate("certificate", checks.Source, secret, checks.Expiry{Deadline: day}),
		checks.CertificateBytes("bytes", func(*corev1.Namespace) []byte { return pemOf(soon) }, checks.Expiry{}),
		checks.HTTP("http", always(home.secret("/reset")), checks.HTTPProbe{Timeout: answered}),
		checks.HTTP("http, gone", always(other.secret("/ok")), checks.HTTPProbe{Timeout: answered}),
		checks.TCP("tcp", always(other.host()), checks.TCPProbe{Timeout: answered}, checks.MissingWithin(time.Minute)),
		checks.TLS("tls", tls, checks.TLSProbe{Timeout: answered}),
	} {
		t.Run(check.Name, func(t *testing.T) {
			healthchecktest.Sound(t, check, healthcheck.Input[*corev1.Namespace]{
				Object: shop.DeepCopy(), Now: noon, Env: healthcheck.Env{Source: cluster, Target: cluster},
			})
		})
	}
}
