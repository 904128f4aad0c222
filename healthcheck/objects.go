package healthcheck

import (
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// objects is a set of objects, client.ObjectKey to UID. The zero value is ready.
type objects struct{ sync.Map }

// again adds obj, and reports whether it was in the set before.
func (o *objects) again(obj client.Object) bool {
	before, found := o.Swap(client.ObjectKeyFromObject(obj), obj.GetUID())
	return found && before == obj.GetUID()
}

func (o *objects) forget(obj client.Object) { o.Delete(client.ObjectKeyFromObject(obj)) }
