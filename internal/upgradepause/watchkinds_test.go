package upgradepause

import (
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// answering answers each list with an error, and counts them.
type answering struct {
	client.Reader

	err   error
	lists int
}

func (a *answering) List(context.Context, client.ObjectList, ...client.ListOption) error {
	a.lists++
	return a.err
}

// full is a cache that has read everything.
type full struct{ cache.Cache }

func (full) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	return synced{}, nil
}

type synced struct{ cache.Informer }

func (synced) HasSynced() bool { return true }

// TestAnswers: what the API server says of a kind counts for a while, and while it is away. No answer looks as if one object were gone.
func TestAnswers(t *testing.T) {
	kind, resource := clusterv1.GroupVersion.WithKind("Cluster"), schema.GroupResource{Group: clusterv1.GroupVersion.Group, Resource: "clusters"}
	forbidden, away := apierrors.NewForbidden(resource, "", errors.New("no rule")), errors.New("connection refused")
	unserved := apierrors.NewGenericServerResponse(404, "list", resource, "", "", 0, true)
	api, clock := &answering{}, testingclock.NewFakePassiveClock(noon)
	k := &kinds{live: api, clock: clock, watches: scaffold.Watches{Cache: full{}}}
	for i, step := range []struct {
		says error
		want string
	}{
		{away, "Cluster of cluster.x-k8s.io/v1beta2 cannot be listed: connection refused"},
		{nil, ""},
		{forbidden, ""},
		{nil, ""},
		{away, ""},
		{forbidden, ""},
		{forbidden, "Cluster of cluster.x-k8s.io/v1beta2 cannot be listed: is the permission missing?"},
		{away, "Cluster of cluster.x-k8s.io/v1beta2 cannot be listed: is the permission missing?"},
		{unserved, "Cluster of cluster.x-k8s.io/v1beta2 cannot be listed: the server could not find the requested resource"},
		{nil, ""},
	} {
		api.err = step.says
		for range 2 {
			err, got := k.open(t.Context(), scaffold.MetadataOf(kind)), ""
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, step.want) || (step.want == "") != (got == "") || apierrors.IsNotFound(err) {
				t.Errorf("step %d: %v, want %q", i, err, step.want)
			}
		}
		if api.lists != i+1 {
			t.Errorf("step %d: %d lists", i, api.lists)
		}
		clock.SetTime(clock.Now().Add(askAgain))
	}
}
