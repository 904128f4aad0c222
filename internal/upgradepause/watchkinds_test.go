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
	"sigs.k8s.io/controller-runtime/pkg/client"
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

// TestAsk: what the API server says of a kind counts for a while, and while it is away. No answer looks as if one object were gone.
func TestAsk(t *testing.T) {
	kind, resource := clusterv1.GroupVersion.WithKind("Cluster"), schema.GroupResource{Group: clusterv1.GroupVersion.Group, Resource: "clusters"}
	forbidden, away := apierrors.NewForbidden(resource, "", errors.New("no rule")), errors.New("connection refused")
	unserved := apierrors.NewGenericServerResponse(404, "list", resource, "", "", 0, true)
	api, clock := &answering{}, testingclock.NewFakePassiveClock(noon)
	k := &kinds{live: api, clock: clock, asked: map[schema.GroupKind]answer{}}
	for i, step := range []struct {
		says error
		want string
	}{
		{away, "Cluster of cluster.x-k8s.io/v1beta2 cannot be listed: connection refused"},
		{nil, ""},
		{away, ""},
		{forbidden, "Cluster of cluster.x-k8s.io/v1beta2 cannot be listed: is the permission missing?"},
		{away, "Cluster of cluster.x-k8s.io/v1beta2 cannot be listed: is the permission missing?"},
		{unserved, "Cluster of cluster.x-k8s.io/v1beta2 cannot be listed: the server could not find the requested resource"},
		{nil, ""},
	} {
		api.err = step.says
		for range 2 {
			err, got := k.ask(t.Context(), kind, false).err, ""
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
