package trace

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// take removes a field if it has the value that was read. Pass nil for a value that cannot be compared.
func (f *Finding) take(at string, value any) {
	if value != nil {
		f.Patch = append(f.Patch, ownwrites.Test(at, value))
	}
	f.Patch = append(f.Patch, ownwrites.Remove(at))
}

// takeItem removes a list item if its field, or the item itself, has the value that was read. Remove items from the last to the
// first.
func (f *Finding) takeItem(list string, i int, field string, value any) {
	item := fmt.Sprintf("%s/%d", list, i)
	f.Patch = append(f.Patch, ownwrites.Test(item+field, value), ownwrites.Remove(item))
}

// of limits a patch to the very object that was read.
func (f *Finding) of(obj *unstructured.Unstructured) Finding {
	if len(f.What) == 0 {
		return Finding{}
	}
	f.Patch = append(ownwrites.JSONPatch{ownwrites.TestUID(obj)}, f.Patch...)
	return *f
}
