package app

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

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
