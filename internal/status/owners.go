package status

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OwnerPrefix begins the names of all field owners of Sickbay.
const OwnerPrefix = "sickbay-"

// OwnerRemediatedFieldOwner sets the mark for a Machine's owner after a power cycle
// without a record, and did so for all marks in earlier versions. It is apart from
// that of the verdict, since the mark belongs to the owner once it is set.
const OwnerRemediatedFieldOwner = "sickbay-owner-remediated"

// KeepOurManagedFields drops the managed fields of everybody else from an object
// on its way into a cache: they are half of its size, and only ours are read.
func KeepOurManagedFields(obj any) (any, error) {
	object, ok := obj.(client.Object)
	if !ok {
		return obj, nil
	}
	var kept []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if strings.HasPrefix(entry.Manager, OwnerPrefix) {
			kept = append(kept, entry)
		}
	}
	object.SetManagedFields(kept)
	return obj, nil
}
