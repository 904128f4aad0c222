package intake

import (
	"context"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// concerned reports, by the cache, whether there is anything to do. It reads only the metadata of most Machines. A request of a Machine that is gone
// gets its answer, too.
func (r reader) concerned(ctx context.Context, key client.ObjectKey) (bool, error) {
	machine := scaffold.MetadataOf(r.kind)
	if err := r.cached.Get(ctx, key, machine); client.IgnoreNotFound(err) != nil {
		return false, err
	}
	if asked, err := r.asked(ctx, key, machine); err != nil || !asked {
		return false, err
	}
	foreign, err := r.foreign(ctx, key)
	return !foreign, err
}

// asked reports whether anything is asked for about a Machine, or the last request has left something on it.
func (r reader) asked(ctx context.Context, key client.ObjectKey, machine client.Object) (bool, error) {
	if asks(machine) {
		return true, nil
	}
	requests, err := r.requestsOf(ctx, r.cached, key)
	if err != nil || len(requests) > 0 {
		return err == nil, err
	}
	return r.leftProgress(ctx, key)
}

// leftProgress reports whether a Machine of Cluster API still says how far a request is.
func (r reader) leftProgress(ctx context.Context, key client.ObjectKey) (bool, error) {
	if r.kind != ClusterAPIKind {
		return false, nil
	}
	machine, err := scaffold.Find(ctx, r.cached, key, &clusterv1.Machine{})
	return machine != nil && r.left(machine), err
}

// asks reports whether an annotation of a Machine concerns intake: it asks for something, or says what came of that.
func asks(machine client.Object) bool {
	for _, key := range []string{rebootannotation.Request, ask.PowerOffAnnotation, ask.External, rebootannotation.Outcome} {
		if mhcspec.HasAnnotation(machine, key) {
			return true
		}
	}
	return false
}
