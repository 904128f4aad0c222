package remedy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/status"
)

// FieldOwner is the name under which the remediation controller writes on Machines.
const FieldOwner = status.RemediationFieldOwner

// ErrChanged says that what a write is bound to has changed since it was read, so nothing was written.
var ErrChanged = errors.New("the machine has changed since it was judged")

// op is one operation of a JSON patch.
type op struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// absent tests that there is nothing at a path.
type absent struct {
	Op    string  `json:"op"`
	Path  string  `json:"path"`
	Value *string `json:"value"`
}

func testAbsent(path string) any { return absent{Op: "test", Path: path} }

func test(path string, value any) any { return op{Op: "test", Path: path, Value: value} }

// sameMachine tests that a patch meets the very object that was read.
func sameMachine(machine *clusterv1.Machine) any { return test("/metadata/uid", machine.UID) }

// annotation is the path of an annotation.
func annotation(key string) string {
	return "/metadata/annotations/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// patch carries out a JSON patch on a Machine, which is then as the API server has answered. A test in it that fails is
// ErrChanged, and so is a Machine that is gone.
func patch(machine *clusterv1.Machine, what string, ops []any, write func(*clusterv1.Machine, client.Patch) error) error {
	key := client.ObjectKeyFromObject(machine)
	data, err := json.Marshal(ops)
	if err != nil {
		return fmt.Errorf("encoding the patch for %s machine %s: %w", what, key, err)
	}
	// The answer goes into an object of its own: what it does not have would stay as it was.
	answer := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: machine.Namespace, Name: machine.Name}}
	err = write(answer, client.RawPatch(types.JSONPatchType, data))
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
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return true
	}
	refused, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) {
		return false
	}
	details := refused.ErrStatus.Details
	return details == nil || len(details.Causes) == 0 || apierrors.HasStatusCause(err, metav1.CauseTypeFieldValueDuplicate)
}
