package intake

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// view is what was read about one Machine.
type view struct {
	facts ask.Facts
	// machine is nil if there is none, or if it is being deleted: then nobody needs it cycled.
	machine *clusterv1.Machine
	cluster *clusterv1.Cluster
}

// concerned reports, by the cache, whether there is anything to do. It reads only the metadata of most Machines.
func (r *Reconciler) concerned(ctx context.Context, key client.ObjectKey) (bool, error) {
	machine := scaffold.MetadataOf(r.Kind)
	if err := r.Client.Get(ctx, key, machine); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if !asks(machine) {
		requests, err := r.requestsOf(ctx, r.Client, key)
		if err != nil || len(requests) == 0 {
			return false, err
		}
	}
	filter := watchFilter{value: r.WatchFilter, kind: r.Kind, cached: r.Client, live: r.Live}
	foreign, err := filter.foreign(ctx, key)
	return !foreign, err
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

// requestsOf lists the RebootRemediations that ask for power cycles of a Machine, by their names. From a cache they are not copied: the caller must
// not change them.
func (r *Reconciler) requestsOf(ctx context.Context, reader client.Reader, machine client.ObjectKey) ([]*v1alpha1.RebootRemediation, error) {
	var list v1alpha1.RebootRemediationList
	if err := reader.List(ctx, &list, client.InNamespace(machine.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing RebootRemediations in %s: %w", machine.Namespace, err)
	}
	var requests []*v1alpha1.RebootRemediation
	for i := range list.Items {
		one := &list.Items[i]
		of := ask.MachineOf(one)
		if !one.Spec.RequestedBy.ForRecord() && one.DeletionTimestamp.IsZero() && of.Name == machine.Name && of.APIGroup == r.Kind.Group {
			requests = append(requests, one)
		}
	}
	slices.SortFunc(requests, func(a, b *v1alpha1.RebootRemediation) int { return cmp.Compare(a.Name, b.Name) })
	return requests, nil
}

// observe reads past the cache: a record is made once.
func (r *Reconciler) observe(ctx context.Context, key client.ObjectKey) (view, error) {
	var v view
	machine, err := r.machine(ctx, key)
	if err != nil || machine == nil || !machine.DeletionTimestamp.IsZero() {
		return v, err
	}
	v.machine = machine
	if v.facts.Requests, err = r.requestsOf(ctx, r.Live, key); err != nil {
		return v, err
	}
	v.facts.Records, err = record.LiveOfMachine(ctx, r.Live, key.Namespace, machine.UID)
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		v.facts.NotInstalled, err = true, nil
	}
	if err != nil {
		return v, err
	}
	if name := machine.Spec.ClusterName; name != "" {
		v.cluster, err = scaffold.Find(ctx, r.Live, client.ObjectKey{Namespace: key.Namespace, Name: name}, &clusterv1.Cluster{})
		if err != nil || v.cluster == nil {
			// Its Cluster is gone, and so the Machine goes.
			return view{}, err
		}
	}
	v.facts.Machine, err = r.machineFacts(ctx, machine)
	return v, err
}

// machine reads a Machine; nil if there is none.
func (r *Reconciler) machine(ctx context.Context, key client.ObjectKey) (*clusterv1.Machine, error) {
	if r.Kind == openshift.Kind {
		return openshift.Find(ctx, r.Live, key)
	}
	return scaffold.Find(ctx, r.Live, key, &clusterv1.Machine{})
}

// machineFacts reads what a decision needs to know of a Machine.
func (r *Reconciler) machineFacts(ctx context.Context, machine *clusterv1.Machine) (ask.Machine, error) {
	judged := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
	facts := ask.Machine{
		Cluster: machine.Spec.ClusterName, Node: machine.Status.NodeRef.Name, Annotations: machine.Annotations, External: r.External,
		Ref:         v1alpha1.RemediatedMachineReference{APIGroup: r.Kind.Group, Name: machine.Name, UID: machine.UID},
		Replaceable: r.Kind == ClusterAPIKind && judged != nil && metav1.GetControllerOf(machine) != nil,
		Healthy:     judged != nil && judged.Status == metav1.ConditionTrue,
	}
	var err error
	if value, ok := machine.Annotations[rebootannotation.Request]; ok && !rebootannotation.IsSign(value) {
		if facts.FromTemplate, err = r.fromTemplate(ctx, machine); err != nil {
			return facts, err
		}
	}
	if facts.AsksExternally() {
		facts.Provider, err = ProviderAtWork(ctx, r.Live, machine.Namespace, r.Clock.Now())
	}
	return facts, err
}

// fromTemplate reports whether the template of a Machine's owner carries the annotation for a power cycle.
func (r *Reconciler) fromTemplate(ctx context.Context, machine *clusterv1.Machine) (bool, error) {
	ref := metav1.GetControllerOf(machine)
	if ref == nil || ref.Kind != "MachineSet" {
		return false, nil
	}
	set := &unstructured.Unstructured{}
	set.SetGroupVersionKind(schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind))
	set, err := scaffold.Find(ctx, r.Live, client.ObjectKey{Namespace: machine.Namespace, Name: ref.Name}, set)
	if set == nil || err != nil {
		return false, err
	}
	_, found, err := unstructured.NestedString(set.Object, "spec", "template", "metadata", "annotations", rebootannotation.Request)
	if err != nil {
		return false, fmt.Errorf("reading the template of %s %s: %w", ref.Kind, ref.Name, err)
	}
	return found, nil
}
