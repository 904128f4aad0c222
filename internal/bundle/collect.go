package bundle

import (
	"context"
	"fmt"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Collect reads everything on which the explanation of an object depends, and explains the object. If there is no such object,
// the bundle has no pages. Collect verifies that the bundle can be written, read and replayed with the same result.
func Collect(ctx context.Context, o *fleet.Observer, namespace string, asked Asked, version string, scheme *runtime.Scheme) (*Bundle, error) {
	facts, err := o.Look(ctx, namespace)
	if err != nil {
		return nil, err
	}
	s := newSnapshot(scheme)
	s.keeps = scopeOf(&facts, facts.Of(asked.Kind, asked.Name)).keeps
	b := &Bundle{
		APIVersion: APIVersion, Kind: Kind, Version: version, Asked: asked, At: o.Clock.Now().Round(0).UTC(),
		Manager: facts.Manager,
		Settings: Settings{
			Namespace: namespace, Adopt: o.Policy.Adopt, Assumed: o.Assumed, WatchFilter: o.Policy.WatchFilter, GracePeriod: metav1.Duration{Duration: o.Health.GracePeriod},
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

// proven returns the bundle after writing and reading it, if its replay gives the same pages.
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
		return nil, fmt.Errorf("the bundle of %s cannot be replayed with the same result; please report this with the output of explain", b.Asked.Name)
	}
	return read, nil
}

// scope is what belongs to an incident: whole clusters, because the gate counts all machines, and the records of their hosts.
type scope struct {
	clusters map[client.ObjectKey]bool
	// machines are the machines that are or were in the clusters.
	machines map[client.ObjectKey]bool
	hosts    map[types.UID]bool
}

func scopeOf(facts *explain.Facts, pages []explain.Page) scope {
	s := scope{clusters: map[client.ObjectKey]bool{}, machines: map[client.ObjectKey]bool{}, hosts: map[types.UID]bool{}}
	asked := map[client.ObjectKey]bool{}
	for _, page := range pages {
		s.clusters[client.ObjectKey{Namespace: page.Namespace, Name: page.Cluster}] = true
		asked[client.ObjectKey{Namespace: page.Namespace, Name: page.Name}] = page.Kind == "BareMetalHost"
	}
	for _, m := range facts.Machines {
		s.machines[client.ObjectKeyFromObject(m.Machine)] = s.clusters[mhcspec.ClusterOf(m.Machine)]
	}
	for _, one := range facts.Records {
		spec, in := one.Record.Spec, func(name string) client.ObjectKey {
			return client.ObjectKey{Namespace: one.Record.Namespace, Name: name}
		}
		belongs := s.clusters[in(spec.ClusterName)]
		if belongs {
			s.machines[in(spec.MachineRef.Name)] = true
		}
		if host := spec.HostRef; host != nil && (belongs || asked[in(host.Name)]) {
			s.hosts[host.UID] = true
		}
	}
	for _, h := range facts.Hosts {
		if asked[client.ObjectKeyFromObject(h.Host)] || (h.Machine != nil && s.clusters[mhcspec.ClusterOf(h.Machine.Machine)]) {
			s.hosts[h.Host.UID] = true
		}
	}
	return s
}

// keeps reports whether an object belongs to the incident. Objects without a cluster always do: they are read only by name.
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
	case *metal3v1.BareMetalHost:
		return s.hosts[obj.UID]
	case *v1alpha1.RebootRemediation:
		return s.cycles(obj)
	}
	return true
}

// cycles reports whether a power cycle concerns a host or machine of the incident.
func (s scope) cycles(r *v1alpha1.RebootRemediation) bool {
	machine := r.Name
	if r.Spec.Machine != nil {
		machine = r.Spec.Machine.Name
	}
	return s.machines[client.ObjectKey{Namespace: r.Namespace, Name: machine}] || (r.Status.Host != nil && s.hosts[r.Status.Host.UID])
}
