package remedy

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// FieldOwner is the name under which the remediation controller writes on Machines.
const FieldOwner = ownwrites.RemediationFieldOwner

// ErrChanged says that what a write is bound to has changed since it was read, so nothing was written.
var ErrChanged = errors.New("the machine has changed since it was judged")

// patch carries out a JSON patch on a Machine, which is then as the API server has answered. A test in it that fails is
// ErrChanged, and so is a Machine that is gone.
func patch(machine *clusterv1.Machine, what string, ops ownwrites.JSONPatch, write func(*clusterv1.Machine, client.Patch) error) error {
	key := client.ObjectKeyFromObject(machine)
	// The answer goes into an object of its own: what it does not have would stay as it was.
	answer := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: machine.Namespace, Name: machine.Name}}
	err := write(answer, ops)
	if changed(err) {
		return fmt.Errorf("%s machine %s: %w: %w", what, key, ErrChanged, err)
	}
	if err != nil {
		return fmt.Errorf("%s machine %s: %w", what, key, err)
	}
	*machine = *answer
	return nil
}

// changed reports whether an error says that a write did not meet what it is bound to: the Machine is gone, a test in the
// patch fails, or somebody else has added the condition that the patch adds. Unlike those, a Machine that is refused as it
// would be has causes.
func changed(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsConflict(err) || ownwrites.TestFailed(err) ||
		apierrors.IsInvalid(err) && apierrors.HasStatusCause(err, metav1.CauseTypeFieldValueDuplicate)
}
