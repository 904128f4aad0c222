package bundle

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/fleet"
)

// Collect reads all that explaining an object depends on, explains it, and returns both. There are no pages if nothing has that
// name. What it returns has been read back and judged once more.
func Collect(ctx context.Context, o *fleet.Observer, namespace string, asked Asked, version string, scheme *runtime.Scheme) (*Bundle, error) {
	facts, err := o.Look(ctx, namespace)
	if err != nil {
		return nil, err
	}
	s := newSnapshot(scheme)
	s.keeps = scopeOf(&facts, facts.Of(asked.Kind, asked.Name)).keeps
	b := &Bundle{
		APIVersion: APIVersion, Kind: Kind, Version: version, Asked: asked, At: o.Clock.Now().Round(0).UTC(),
		Manager: Manager{facts.Manager.Name, facts.Manager.Unknown},
		Settings: Settings{
			Namespace: namespace, Adopt: o.Policy.Adopt, WatchFilter: o.Policy.WatchFilter, GracePeriod: metav1.Duration{Duration: o.Health.GracePeriod},
			Records: o.Records, Hosts: o.Health.Hosts.Installed(),
		},
	}
	from := sources{snapshot: s, nodes: newNodes(o.Health.Nodes), client: o.Client, live: o.Live, settings: b.Settings, manager: b.Manager, at: b.At}
	if facts, err = from.look(ctx); err != nil {
		return nil, err
	}
	b.Pages = facts.Of(asked.Kind, asked.Name)
	b.Refusals, b.Workload = refusalsOf(s), from.nodes.written()
	if b.Objects, err = objectsOf(s); err != nil {
		return nil, err
	}
	return b.proven(ctx, scheme)
}

// proven returns the bundle as it is written and read again, once that is judged the same.
func (b *Bundle) proven(ctx context.Context, scheme *runtime.Scheme) (*Bundle, error) {
	data, err := b.Marshal()
	if err != nil {
		return nil, err
	}
	read, err := Unmarshal(data)
	if err != nil {
		return nil, err
	}
	pages, err := Replay(ctx, read, scheme)
	if err != nil {
		return nil, err
	}
	if !read.SameDecision(pages) {
		return nil, fmt.Errorf("what was read of %s is not enough to judge it again; please report this, with the output of explain", b.Asked.Name)
	}
	return read, nil
}

// scope is what an incident is about: whole clusters, since the gate counts all machines, and what is on record of their hosts.
type scope struct {
	clusters map[client.ObjectKey]bool
	hosts    map[types.UID]bool
}

func scopeOf(facts *explain.Facts, pages []explain.Page) scope {
	s := scope{clusters: map[client.ObjectKey]bool{}, hosts: map[types.UID]bool{}}
	for _, page := range pages {
		s.clusters[client.ObjectKey{Namespace: page.Namespace, Name: page.Cluster}] = true
	}
	for _, r := range facts.Records {
		if host := r.Record.Spec.HostRef; host != nil && s.clusters[client.ObjectKey{Namespace: r.Record.Namespace, Name: r.Record.Spec.ClusterName}] {
			s.hosts[host.UID] = true
		}
	}
	return s
}

// keeps reports whether an object belongs to the incident. What belongs to no cluster is read only if it is asked for by name.
func (s scope) keeps(obj client.Object) bool {
	in := func(cluster string) bool {
		return s.clusters[client.ObjectKey{Namespace: obj.GetNamespace(), Name: cluster}]
	}
	switch obj := obj.(type) {
	case *clusterv1.Cluster:
		return in(obj.Name)
	case *clusterv1.Machine:
		return in(obj.Spec.ClusterName)
	case *clusterv1.MachineHealthCheck:
		return in(obj.Spec.ClusterName)
	case *v1alpha1.MachineRemediation:
		return in(obj.Spec.ClusterName) || (obj.Spec.HostRef != nil && s.hosts[obj.Spec.HostRef.UID])
	}
	return true
}
