package lag

import (
	"cmp"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

func byName(a, b client.ObjectKey) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
