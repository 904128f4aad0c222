package checks_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

var (
	objects = flag.Int("objects", 2000, "how many objects BenchmarkCost checks with each pattern")
	window  = flag.Duration("window", 10*time.Minute, "for how long BenchmarkCost counts requests")
)

// requests counts requests to the API server by verb and resource. Watches are left out: there is one for each kind.
type requests struct {
	mu sync.Mutex
	by map[string]int
}

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	return counter(func(req *http.Request) (*http.Response, error) {
		if !strings.Contains(req.URL.RawQuery, "watch=true") {
			parts := strings.Split(req.URL.Path, "/")
			what := req.Method + " " + parts[min(len(parts)-1, slices.Index(parts, "namespaces")+2)]
			r.mu.Lock()
			r.by[what]++
			r.mu.Unlock()
		}
		return next.RoundTrip(req)
	})
}

// pattern is a documented way to check objects.
type pattern struct {
	name   string
	checks func(at pattern) []healthcheck.NamedCheck[*Site]
	watch  client.Object

	namespace string
	url       string
	requests  *requests
}

func (p pattern) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: p.namespace, Name: name}
}

func (p pattern) set(cluster checks.Cluster) healthcheck.NamedCheck[*Site] {
	find := func(*Site) *appsv1.StatefulSet { return &appsv1.StatefulSet{ObjectMeta: p.meta("set")} }
	return checks.One("replicas", cluster, find, checks.StatefulSetAvailable)
}

func (p pattern) http() healthcheck.NamedCheck[*Site] {
	return checks.HTTP("answers", func(*Site) string { return p.url }, checks.HTTPProbe{})
}

func (p pattern) certificate() healthcheck.NamedCheck[*Site] {
	find := func(*Site) *corev1.Secret { return &corev1.Secret{ObjectMeta: p.meta("tls")} }
	return checks.Certificate("certificate", checks.Source, find, checks.Expiry{})
}

func patterns() []pattern {
	type named = []healthcheck.NamedCheck[*Site]
	return []pattern{
		{name: "a StatefulSet that is watched", watch: &appsv1.StatefulSet{}, checks: func(p pattern) named { return named{p.set(checks.Source)} }},
		{name: "`HTTP`", checks: func(p pattern) named { return named{p.http()} }},
		{name: "`HTTP` and `Certificate`", checks: func(p pattern) named { return named{p.http(), p.certificate()} }},
		{name: "those, and a StatefulSet that is watched", watch: &appsv1.StatefulSet{}, checks: func(p pattern) named {
			return named{p.set(checks.Source), p.http(), p.certificate()}
		}},
		{name: "`Certificate`, with `Watches` on Secrets", watch: &corev1.Secret{}, checks: func(p pattern) named { return named{p.certificate()} }},
		{name: "a StatefulSet in a target", checks: func(p pattern) named { return named{p.set(checks.Target)} }},
	}
}

// BenchmarkCost counts what the documented patterns ask of the API server at rest, for docs/library.md. It runs them side by side,
// in a manager each: go test ./checks -run '^$' -bench Cost -benchtime 1x -timeout 40m
func BenchmarkCost(b *testing.B) {
	g, e := NewWithT(b), env.Get(b)
	var probes atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { probes.Add(1) }))
	defer server.Close()
	running := patterns()
	for i := range running {
		p := &running[i]
		p.namespace, p.url, p.requests = e.Namespace(b), server.URL, &requests{by: map[string]int{}}
		p.populate(b, e)
		p.start(b, e)
	}
	for _, p := range running {
		g.Eventually(func() int {
			var list SiteList
			g.Expect(e.Client.List(b.Context(), &list, client.InNamespace(p.namespace))).To(Succeed())
			return len(slices.DeleteFunc(list.Items, func(s Site) bool { return len(s.Status.Conditions) == 0 }))
		}, 10*time.Minute, time.Second).Should(Equal(*objects), p.name)
	}
	for _, p := range running {
		p.requests.take()
	}
	before := probes.Load()
	<-time.After(*window)
	rate := func(n int64) string { return fmt.Sprintf("%.1f", float64(n)/window.Seconds()) }
	fmt.Fprintf(os.Stdout, "%d objects, %s: requests a second; all probes together %s\n", *objects, *window, rate(probes.Load()-before))
	for _, p := range running {
		all, by := p.requests.take()
		fmt.Fprintf(os.Stdout, "| %s | %s | %v\n", p.name, rate(int64(all)), by)
	}
}

func (r *requests) take() (all int, by map[string]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	by, r.by = r.by, map[string]int{}
	for _, n := range by {
		all += n
	}
	return all, by
}

// populate creates the objects, and what their checks look at, which is healthy.
func (p *pattern) populate(b *testing.B, e *env.Env) {
	b.Helper()
	g := NewWithT(b)
	certificate, _ := newAuthority(b).issue(b, 365*day)
	labels := map[string]string{"app": "a"}
	set := &appsv1.StatefulSet{ObjectMeta: p.meta("set"), Spec: appsv1.StatefulSetSpec{Replicas: new(int32(0)), Selector: &metav1.LabelSelector{MatchLabels: labels}}}
	set.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}}}
	g.Expect(e.Client.Create(b.Context(), set)).To(Succeed())
	set.Status.ObservedGeneration = set.Generation
	g.Expect(e.Client.Status().Update(b.Context(), set)).To(Succeed())
	g.Expect(e.Client.Create(b.Context(), &corev1.Secret{ObjectMeta: p.meta("tls"), Data: map[string][]byte{"tls.crt": pemOf(certificate)}})).To(Succeed())
	for i := range *objects {
		g.Expect(e.Client.Create(b.Context(), &Site{ObjectMeta: p.meta(fmt.Sprint("s", i))})).To(Succeed())
	}
}

// start runs the checks in a manager of its own, whose requests are counted. It reads Secrets without a cache, unless it watches them.
func (p *pattern) start(b *testing.B, e *env.Env) {
	b.Helper()
	counted := rest.CopyConfig(e.Config)
	counted.Wrap(p.requests.wrap)
	registration := healthcheck.Registration[*Site]{
		Name: "cost", Conditions: []healthcheck.ConditionChecks[*Site]{healthcheck.NewCondition("Healthy", p.checks(*p)...)},
	}
	var uncached []client.Object
	if p.watch != nil {
		registration.Watches = []healthcheck.Watch{{Object: p.watch}}
	}
	if _, watched := p.watch.(*corev1.Secret); !watched {
		uncached = []client.Object{&corev1.Secret{}}
	}
	target, err := client.New(counted, client.Options{Scheme: e.Scheme})
	NewWithT(b).Expect(err).NotTo(HaveOccurred())
	registration.Targets = healthcheck.TargetsFunc[*Site](func(_ context.Context, _ *Site) (client.Reader, error) { return target, nil })
	(&env.Env{Config: counted, Client: e.Client, Scheme: e.Scheme}).Manager(b, env.ManagerOptions{
		Namespaces: []string{p.namespace},
		Configure:  func(o *ctrl.Options) { o.Client.Cache = &client.CacheOptions{DisableFor: uncached} },
		Setup:      healthcheck.New(registration).SetupWithManager,
	})
}
