package app

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// mostRequests is how many requests a plain remedy may take, with its record and its events. Watches do not count.
const mostRequests = 13

// TestRequestsOfOneRemedy: a Machine of a MachineSet falls sick; the test counts the requests until the mark stands and everything is
// reported.
func TestRequestsOfOneRemedy(t *testing.T) {
	e := env.Get(t)
	e.Install(t, env.WithCRDFiles("config/crd/sickbay*.yaml"))
	c, err := client.New(e.Config, client.Options{Scheme: Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	g, ns, counted := NewWithT(t), e.Namespace(t), &requests{}
	g.SetDefaultEventuallyTimeout(time.Minute)
	set, node := build.MachineSet(ns, "set"), build.Node(ns)
	machine := build.Machine(ns, "m", build.OwnedBy(set), build.NodeRef(node.Name), build.Condition("Disk", metav1.ConditionTrue, "Fine", build.Epoch))
	build.Create(t.Context(), t, c, node, kubeconfigOf(t, ns, &rest.Config{Host: workloadCluster(t, e.Config, counted), BearerToken: "t"}), build.Cluster(ns, build.ClusterName), set,
		build.MachineHealthCheck(ns, "mhc", build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0)), machine)
	t.Cleanup(func() { _ = c.Delete(t.Context(), node) })

	o := optionsOf(ns)
	o.pace = pace{}
	// A read that a busy computer answers too late for a worker would be made again.
	o.pace.patient = true
	managed := rest.CopyConfig(e.Config)
	managed.Wrap(counted.wrap("management"))
	runAs(t, managed, o)
	g.Eventually(func() (clusterv1.MachineHealthCheckStatus, error) {
		mhc := &clusterv1.MachineHealthCheck{}
		return mhc.Status, c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "mhc"}, mhc)
	}).Should(HaveField("CurrentHealthy", HaveValue(BeEquivalentTo(1))))
	g.Eventually(counted.quiet).Should(BeTrue())

	counted.forget()
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(machine), machine); err != nil {
		t.Fatal(err)
	}
	before := machine.DeepCopy()
	meta.SetStatusCondition(&machine.Status.Conditions, metav1.Condition{Type: "Disk", Status: metav1.ConditionFalse, Reason: "Broken"})
	if err := c.Status().Patch(t.Context(), machine, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	record := &v1alpha1.MachineRemediation{}
	g.Eventually(func() ([]v1alpha1.RemediationAttempt, error) {
		err := onlyRecord(t.Context(), c, ns, record)
		return record.Status.Attempts, err
	}).Should(ConsistOf(HaveField("ObjectRef", Not(BeNil()))))
	g.Eventually(counted.quiet).Should(BeTrue())
	if n, all := counted.made(); n > mostRequests {
		t.Errorf("%d requests were made, and at most %d are wanted:\n%s", n, mostRequests, all)
	} else {
		t.Logf("%d requests were made:\n%s", n, all)
	}
}

// workloadCluster serves an API server as a workload cluster, counts the requests to it, and returns its address.
func workloadCluster(t *testing.T, to *rest.Config, counted *requests) string {
	t.Helper()
	transport, err := rest.TransportFor(to)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(to.Host)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Transport: counted.wrap("workload")(transport), FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Del("Authorization")
	}}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.CloseClientConnections)
	return server.URL
}

// requests are the requests for objects, by description.
type requests struct {
	mu   sync.Mutex
	by   map[string]int
	last time.Time
}

func (r *requests) wrap(where string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(req *http.Request) (*http.Response, error) {
			if what := about(req); what != "" {
				r.count(where + ": " + what)
			}
			return next.RoundTrip(req)
		})
	}
}

// about describes a request; empty for watches, discovery and health probes.
func about(req *http.Request) string {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if len(parts) < 4 || req.URL.Query().Has("watch") {
		return ""
	}
	if i := slices.Index(parts, "namespaces"); i >= 0 {
		parts = parts[i+2:]
	} else {
		parts = parts[2:]
	}
	switch what := req.Method + " "; len(parts) {
	case 1:
		return what + parts[0]
	case 2:
		return what + "one of " + parts[0]
	default:
		return what + parts[2] + " of one of " + parts[0]
	}
}

func (r *requests) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = map[string]int{}
	}
	r.by[what]++
	r.last = time.Now()
}

func (r *requests) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.by, r.last = nil, time.Time{}
}

// quiet reports whether there was no request for a while.
func (r *requests) quiet() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.last) > 2*time.Second
}

// made returns the number of requests, and a line for each description.
func (r *requests) made() (n int, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(r.by)) {
		n += r.by[what]
		text += fmt.Sprintf("%3d %s\n", r.by[what], what)
	}
	return n, text
}
