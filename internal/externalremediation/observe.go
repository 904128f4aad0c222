package externalremediation

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// errReplaced means that the Machine was replaced by another one of that name.
var errReplaced = errors.New("the machine is another one")

// view is the state that was read, for the decision and the act.
type view struct {
	facts Facts
	// machine is nil if there is none, or if it is being deleted: then its owner handles it.
	machine *machinev1.Machine
}

// concerned reports, by the cache, whether there is anything to do. It reads only the metadata of most Machines.
func (r *Reconciler) concerned(ctx context.Context, key client.ObjectKey) (bool, error) {
	machine := scaffold.MetadataOf(Kind)
	if err := r.Client.Get(ctx, key, machine); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if r.WatchFilter != "" && machine.Labels[clusterv1.WatchLabel] != r.WatchFilter {
		return false, nil
	}
	if mhcspec.HasAnnotation(machine, Annotation) || mhcspec.HasAnnotation(machine, rebootannotation.Outcome) {
		return true, nil
	}
	for _, name := range requestNames(machine) {
		err := r.Client.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: name}, &v1alpha1.RebootRemediation{})
		if err == nil || !apierrors.IsNotFound(err) {
			return err == nil, err
		}
	}
	return false, nil
}

func requestNames(machine metav1.Object) []string { return reboot.RequestNames(machine, "external") }

// observe reads everything past the cache. It reads the Machine again after the request: if the request has ended, the Machine must
// show whether it is asked for another one.
func (r *Reconciler) observe(ctx context.Context, key client.ObjectKey) (view, error) {
	machine := &machinev1.Machine{}
	if err := r.Live.Get(ctx, key, machine); err != nil {
		return view{}, client.IgnoreNotFound(err)
	}
	facts, err := r.requestFacts(ctx, machine)
	if err != nil {
		return view{}, err
	}
	uid := machine.UID
	if err := r.Live.Get(ctx, key, machine); err != nil {
		return view{}, client.IgnoreNotFound(err)
	}
	if machine.UID != uid {
		return view{}, errReplaced
	}
	if !machine.DeletionTimestamp.IsZero() {
		return view{}, nil
	}
	facts.Asked, facts.Outcome = mhcspec.HasAnnotation(machine, Annotation), machine.Annotations[rebootannotation.Outcome]
	err = r.judge(ctx, machine, &facts)
	return view{facts: facts, machine: machine}, err
}

// requestFacts reads the request for a Machine. A request that is being deleted belongs to an earlier incident and is kept for its
// Node; the next one takes over its unfinished work.
func (r *Reconciler) requestFacts(ctx context.Context, machine *machinev1.Machine) (Facts, error) {
	var facts Facts
	for _, name := range requestNames(machine) {
		request, key := &v1alpha1.RebootRemediation{}, client.ObjectKey{Namespace: machine.Namespace, Name: name}
		err := r.Live.Get(ctx, key, request)
		switch {
		case apierrors.IsNotFound(err):
			facts.Free = cmp.Or(facts.Free, name)
		case err != nil:
			return Facts{}, fmt.Errorf("getting RebootRemediation %s: %w", key, err)
		case request.DeletionTimestamp.IsZero():
			facts.Request = request
			facts.Finished = request.Status.Phase.Ended() && !controllerutil.ContainsFinalizer(request, cycle.Finalizer)
		}
	}
	return facts, nil
}

// judge reads whether the machine is healthy, and whether somebody else carries the annotation out, where that matters.
func (r *Reconciler) judge(ctx context.Context, machine *machinev1.Machine, facts *Facts) (err error) {
	if !facts.Asked || (facts.Request != nil && !facts.Finished) {
		return nil
	}
	if facts.Healthy, err = reboot.OpenShiftHealthy(ctx, r.Live, machine); err != nil || facts.Request != nil {
		return err
	}
	facts.Provider, err = ProviderAtWork(ctx, r.Live, machine.Namespace, r.Clock.Now())
	return err
}
