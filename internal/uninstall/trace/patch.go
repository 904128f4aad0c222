package trace

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// take takes a field away, if it has the value that was read. A value that cannot be compared is nil.
func (f *Finding) take(at string, value any) {
	if value != nil {
		f.Patch = append(f.Patch, ownwrites.Test(at, value))
	}
	f.Patch = append(f.Patch, ownwrites.Remove(at))
}

// takeItem takes an item of a list away, if a field of it, or the item itself, has the value that was read. Items go last first.
func (f *Finding) takeItem(list string, i int, field string, value any) {
	item := fmt.Sprintf("%s/%d", list, i)
	f.Patch = append(f.Patch, ownwrites.Test(item+field, value), ownwrites.Remove(item))
}

// of has a patch meet the very object that was read.
func (f *Finding) of(obj *unstructured.Unstructured) Finding {
	if len(f.What) == 0 {
		return Finding{}
	}
	f.Patch = append(ownwrites.JSONPatch{ownwrites.TestUID(obj)}, f.Patch...)
	return *f
}
