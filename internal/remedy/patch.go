package remedy

import (
	"context"
	"errors"
	"fmt"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// FieldOwner is the field manager of the remediation controller on Machines.
const FieldOwner = ownwrites.RemediationFieldOwner

// ErrChanged says that nothing was written, because the facts behind a write have changed since they were read.
var ErrChanged = errors.New("the machine has changed since it was judged")

// patch applies a JSON patch to a Machine, and stores the API server's answer in it. If a test in the patch fails, or the
// Machine is gone, the error is ErrChanged.
func patch(machine *clusterv1.Machine, what string, ops ownwrites.JSONPatch, write func(*clusterv1.Machine, client.Patch) error) error {
	// Decode the answer into a new object: fields that it lacks would otherwise keep their old values.
	answer := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: machine.Namespace, Name: machine.Name}}
	if err := patched(machine, what, write(answer, ops)); err != nil {
		return err
	}
	*machine = *answer
	return nil
}

// patched says what failed, if anything did.
func patched(machine *clusterv1.Machine, what string, err error) error {
	key := client.ObjectKeyFromObject(machine)
	if changed(err) {
		return fmt.Errorf("%s machine %s: %w: %w", what, key, ErrChanged, err)
	}
	if err != nil {
		return fmt.Errorf("%s machine %s: %w", what, key, err)
	}
	return nil
}

// patchMetadata is patch for the metadata of a Machine, which may be one of OpenShift.
func patchMetadata(ctx context.Context, c client.Client, machine *clusterv1.Machine, what string, ops ownwrites.JSONPatch) error {
	if machine.GroupVersionKind() != openshift.Kind {
		return patch(machine, what, ops, func(answer *clusterv1.Machine, p client.Patch) error {
			return c.Patch(ctx, answer, p, client.FieldOwner(FieldOwner))
		})
	}
	answer := &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: machine.Namespace, Name: machine.Name}}
	if err := patched(machine, what, c.Patch(ctx, answer, ops, client.FieldOwner(FieldOwner))); err != nil {
		return err
	}
	machine.ObjectMeta = answer.ObjectMeta
	return nil
}

// changed reports whether an error says that the facts behind a write have changed: the Machine is gone, a test in the
// patch failed, or somebody else has added the condition that the patch adds. If the API server refuses the patched
// Machine itself, the error has other causes.
func changed(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsConflict(err) || ownwrites.TestFailed(err) ||
		apierrors.IsInvalid(err) && apierrors.HasStatusCause(err, metav1.CauseTypeFieldValueDuplicate)
}
