package checks_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// TestReadsAtRest measures a probe beside certificates that are read without a cache: the first look at each object reads its
// Secret, and the probes, however frequent, do not.
func TestReadsAtRest(t *testing.T) {
	const objects = 100
	g := NewWithT(t)
	e := env.Get(t)
	var probes, reads atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { probes.Add(1) }))
	defer server.Close()
	counted := rest.CopyConfig(e.Config)
	counted.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return counter(func(req *http.Request) (*http.Response, error) { reads.Add(1); return next.RoundTrip(req) })
	})
	source, err := client.New(counted, client.Options{Scheme: e.Scheme})
	g.Expect(err).NotTo(HaveOccurred())
	namespace := e.Namespace(t)
	certificate, _ := newAuthority(t).issue(t, 365*day)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tls"}, Data: map[string][]byte{"tls.crt": pemOf(certificate)}}
	g.Expect(e.Client.Create(t.Context(), secret)).To(Succeed())
	type config = *corev1.ConfigMap
	find := func(config) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "tls"}}
	}
	r := healthcheck.New(healthcheck.Registration[config]{
		Name: "at-rest", Store: &healthchecktest.Store[config]{}, Source: source, MinInterval: 10 * time.Millisecond,
		Conditions: []healthcheck.ConditionChecks[config]{
			healthcheck.NewCondition("Open", checks.HTTP("open", func(config) string { return server.URL }, checks.HTTPProbe{Interval: 200 * time.Millisecond})),
			healthcheck.NewCondition("Valid", checks.Certificate("tls", checks.Source, find, checks.Expiry{})),
		},
	})
	for i := range objects {
		g.Expect(e.Client.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprint("o", i)}})).To(Succeed())
	}
	e.Manager(t, env.ManagerOptions{Namespaces: []string{namespace}, Setup: r.SetupWithManager})
	g.Eventually(probes.Load, time.Minute).Should(BeNumerically(">=", 5*objects))
	first := reads.Load() // They include the client's discovery.
	g.Expect(first).To(And(BeNumerically(">=", objects), BeNumerically("<=", objects+10)))
	before := probes.Load()
	g.Eventually(probes.Load, time.Minute).Should(BeNumerically(">=", before+5*objects))
	g.Expect(reads.Load()).To(Equal(first))
}

type counter func(*http.Request) (*http.Response, error)

func (c counter) RoundTrip(req *http.Request) (*http.Response, error) { return c(req) }
