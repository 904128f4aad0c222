// Package owners reads what decides whether the owner of a Machine replaces it when asked.
package owners

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// Reader reads owners, each once. It is for one look, and not safe for concurrent use.
type Reader struct {
	// Live reads past caches: few owners are asked for anything, and a pause has to be seen.
	Live client.Reader
	// Most is how many owners are read; the others are unknown. 0 means all.
	Most int

	known map[key]silence.Facts
}

type key struct {
	schema.GroupKind
	client.ObjectKey
}

// Of returns what is known about the owner of a Machine. Owners that may not be read, or that are gone, are unknown.
func (r *Reader) Of(ctx context.Context, machine *clusterv1.Machine, cluster *clusterv1.Cluster) (silence.Facts, error) {
	ref := metav1.GetControllerOf(machine)
	if ref == nil {
		return silence.Facts{}, nil
	}
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	at := key{gvk.GroupKind(), client.ObjectKey{Namespace: machine.Namespace, Name: ref.Name}}
	facts, known := r.known[at]
	if !known && (r.Most == 0 || len(r.known) < r.Most) {
		var err error
		if facts, err = r.read(ctx, gvk, at.ObjectKey); err != nil {
			return silence.Facts{}, err
		}
		if r.known == nil {
			r.known = map[key]silence.Facts{}
		}
		r.known[at] = facts
	}
	facts.Controller, facts.Cluster = ref, cluster
	if facts.Owner != nil && facts.Owner.GetUID() != ref.UID {
		// Another one has its name.
		facts.Owner, facts.Replicas, facts.Deployment = nil, nil, nil
	}
	return facts, nil
}

func (r *Reader) read(ctx context.Context, gvk schema.GroupVersionKind, at client.ObjectKey) (silence.Facts, error) {
	if gvk.GroupKind() == clusterv1.GroupVersion.WithKind("MachineSet").GroupKind() {
		return r.machineSet(ctx, at)
	}
	owner := &unstructured.Unstructured{}
	owner.SetGroupVersionKind(gvk)
	owner, err := readable(scaffold.Find(ctx, r.Live, at, owner))
	if owner == nil {
		return silence.Facts{}, err
	}
	facts := silence.Facts{Owner: owner}
	if n, found, err := unstructured.NestedInt64(owner.Object, "spec", "replicas"); found && err == nil {
		facts.Replicas = new(int32(n)) //nolint:gosec // The API has it as an int32.
	}
	return facts, nil
}

// machineSet reads a MachineSet, and its MachineDeployment.
func (r *Reader) machineSet(ctx context.Context, at client.ObjectKey) (silence.Facts, error) {
	set, err := readable(scaffold.Find(ctx, r.Live, at, &clusterv1.MachineSet{}))
	if set == nil {
		return silence.Facts{}, err
	}
	facts := silence.Facts{Owner: set, Replicas: set.Spec.Replicas}
	if name, child := silence.DeploymentOf(set); child {
		facts.Deployment, err = readable(scaffold.Find(ctx, r.Live, client.ObjectKey{Namespace: at.Namespace, Name: name}, &clusterv1.MachineDeployment{}))
	}
	return facts, err
}

// readable returns what was read; nil if nobody may read it, or if its kind is not installed.
func readable[T client.Object](obj T, err error) (T, error) {
	var none T
	if err != nil && (scaffold.Answered(err) || meta.IsNoMatchError(err)) {
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("reading the owner of a Machine: %w", err)
	}
	return obj, nil
}
