package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestPartsWaitTogether: many parts make no more requests than one, and each starts when its kinds are installed.
func TestPartsWaitTogether(t *testing.T) {
	calls := &calls{}
	e := *env.Get(t)
	e.Config = rest.CopyConfig(e.Config)
	e.Config.Wrap(calls.wrap)
	const many = 10
	opened := make(chan string, many)
	var parts []part
	for i := range many {
		parts = append(parts, partOf(opened, fmt.Sprintf("part %d", i), laterKind(fmt.Sprintf("Wait%d", i)), clusterv1.GroupVersion.WithKind("Machine")))
	}
	start := time.Now()
	e.Manager(t, env.ManagerOptions{Setup: func(mgr ctrl.Manager) error { return addParts(t.Context(), mgr, parts, hurry.kinds) }})
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)

	calls.take()
	g.Eventually(calls.count).Should(BeNumerically(">", 2))
	looks := int(time.Since(start) / hurry.kinds)
	if all := calls.take(); len(all) > 2*looks {
		t.Errorf("%d requests of %d parts in the time of %d looks:\n%v", len(all), many, looks, all)
	}

	last := parts[many-1]
	e.Install(t, env.WithCRDs(env.AnythingGoes(last.kinds[0])))
	g.Eventually(opened).Should(Receive(Equal(last.name)))
	if len(opened) > 0 {
		t.Errorf("%s was opened without its kinds", <-opened)
	}
}

// TestStarterEnds: once all parts have started, the starter stops.
func TestStarterEnds(t *testing.T) {
	e := env.Get(t)
	opened := make(chan string, 1)
	late := partOf(opened, "late", laterKind("End"))
	k := newStarter(t, e, late)
	if ready, err := k.ready(); err != nil || len(ready) > 0 {
		t.Fatalf("ready at once: %v, %v", ready, err)
	}
	e.Install(t, env.WithCRDs(env.AnythingGoes(late.kinds[0])))
	if err := k.Start(t.Context()); err != nil {
		t.Error(err)
	}
	if len(opened) != 1 {
		t.Error("ended without starting the part")
	}
}

// TestPartGoesByTheManagersMapper: one of several API servers may know a kind and another not yet. Starting the part then would
// end the manager. Later the mapper finds what it has missed, even in a group that it knows.
func TestPartGoesByTheManagersMapper(t *testing.T) {
	e := env.Get(t)
	k := newStarter(t, e)
	for _, kind := range []schema.GroupVersionKind{laterKind("Half"), laterKind("Whole")} {
		k.waiting = []waitingPart{{part: partOf(nil, kind.Kind, kind)}}
		k.look = func() (meta.RESTMapper, error) {
			ahead := meta.NewDefaultRESTMapper(nil)
			ahead.Add(kind, meta.RESTScopeNamespace)
			return ahead, nil
		}
		if ready, err := k.ready(); err != nil || len(ready) > 0 {
			t.Fatalf("opened before the manager's own mapper knows %s: %v, %v", kind, ready, err)
		}
		e.Install(t, env.WithCRDs(env.AnythingGoes(kind)))
		NewWithT(t).Eventually(func() (int, error) {
			ready, err := k.ready()
			return len(ready), err
		}, time.Minute).Should(Equal(1), "the mapper goes on missing the kind")
	}
}

// TestFailingLookStartsNothing: a failed look starts no part, and loses none.
func TestFailingLookStartsNothing(t *testing.T) {
	works, down := newStarter(t, env.Get(t), partOf(nil, "a", clusterv1.GroupVersion.WithKind("Machine"))), errors.New("down")
	look := works.look
	works.look = func() (meta.RESTMapper, error) { return nil, down }
	if ready, err := works.ready(); !errors.Is(err, down) || len(ready) > 0 {
		t.Errorf("ready: %v, %v", ready, err)
	}
	works.look = look
	if ready, err := works.ready(); err != nil || len(ready) != 1 {
		t.Errorf("ready afterwards: %v, %v", ready, err)
	}
}

func newStarter(t *testing.T, e *env.Env, parts ...part) *starter {
	t.Helper()
	look, err := newLook(e.Config)
	if err != nil {
		t.Fatal(err)
	}
	k := &starter{mgr: e.Manager(t, env.ManagerOptions{}), look: look, period: hurry.kinds}
	for _, g := range parts {
		k.waiting = append(k.waiting, waitingPart{part: g})
	}
	return k
}

func partOf(opened chan<- string, name string, kinds ...schema.GroupVersionKind) part {
	return part{name: name, kinds: kinds, add: func(context.Context, ctrl.Manager) error {
		opened <- name
		return nil
	}}
}

// laterKind returns a new kind in a group that only these tests use: installed kinds stay.
func laterKind(name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "later.example", Version: "v1", Kind: name + rand.String(5)}
}

// calls are the requests by path, with the status of the answer.
type calls struct {
	mu  sync.Mutex
	all []string
}

// take returns the requests since the last call.
func (c *calls) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return all
}

func (c *calls) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

func (c *calls) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		c.mu.Lock()
		defer c.mu.Unlock()
		if err == nil {
			c.all = append(c.all, fmt.Sprint(req.URL.Path, " ", resp.StatusCode))
		}
		return resp, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// TestLookIsCheap: while nothing changes, the answer is only a status.
func TestLookIsCheap(t *testing.T) {
	calls := &calls{}
	cfg := rest.CopyConfig(env.Get(t).Config)
	cfg.Wrap(calls.wrap)
	look, err := newLook(cfg)
	if err != nil {
		t.Fatal(err)
	}
	// Eventually, since kinds that other tests installed may still be on their way to the API server.
	NewWithT(t).Eventually(func() ([]string, error) {
		_, err := look()
		return calls.take(), err
	}, time.Minute).Should(Equal([]string{"/api 304", "/apis 304"}))
	mapper, err := look()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mapper.RESTMapping(clusterv1.GroupVersion.WithKind("Machine").GroupKind(), clusterv1.GroupVersion.Version); err != nil {
		t.Errorf("a kind is lost when nothing has changed: %v", err)
	}
}

// TestBrokenGroupHidesNoOther: a group whose server is down counts as missing, and costs no further requests.
func TestBrokenGroupHidesNoOther(t *testing.T) {
	e := env.Get(t)
	breakGroup(t, e, schema.GroupVersion{Group: "broken.example", Version: "v1"})
	calls := &calls{}
	cfg := rest.CopyConfig(e.Config)
	cfg.Wrap(calls.wrap)
	look, err := newLook(cfg)
	if err != nil {
		t.Fatal(err)
	}
	mapper, err := look()
	if err != nil {
		t.Fatal(err)
	}
	if n := calls.count(); n != 2 {
		t.Errorf("%d requests: %v", n, calls.take())
	}
	missing, err := partOf(nil, "", clusterv1.GroupVersion.WithKind("Machine")).missing(mapper)
	if err != nil || len(missing) > 0 {
		t.Errorf("misses %v, %v", missing, err)
	}
	kind := schema.GroupVersionKind{Group: "broken.example", Version: "v1", Kind: "Thing"}
	if _, err := mapper.RESTMapping(kind.GroupKind(), kind.Version); !meta.IsNoMatchError(err) {
		t.Errorf("looking for a kind of the broken group: %v", err)
	}
}

// breakGroup registers a group that nobody serves, and returns when discovery shows it.
func breakGroup(t *testing.T, e *env.Env, gv schema.GroupVersion) {
	t.Helper()
	service := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"group": gv.Group, "version": gv.Version, "groupPriorityMinimum": int64(1000), "versionPriority": int64(10),
		"insecureSkipTLSVerify": true,
		"service":               map[string]any{"namespace": "default", "name": "nobody"},
	}}}
	service.SetAPIVersion("apiregistration.k8s.io/v1")
	service.SetKind("APIService")
	service.SetName(gv.Version + "." + gv.Group)
	if err := e.Client.Create(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Client.Delete(context.WithoutCancel(t.Context()), service); err != nil {
			t.Error(err)
		}
	})
	live, err := discovery.NewDiscoveryClientForConfig(e.Config)
	if err != nil {
		t.Fatal(err)
	}
	NewWithT(t).Eventually(func() bool {
		_, _, err := live.ServerGroupsAndResources()
		failed, ok := discovery.GroupDiscoveryFailedErrorGroups(err)
		_, broken := failed[gv]
		return ok && broken
	}, time.Minute).Should(BeTrue(), "discovery tells that the group is broken")
}
