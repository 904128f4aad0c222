package trace

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Op is one operation of a JSON patch.
type Op struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// path is that of a field in a mapping.
func path(parent, key string) string {
	return parent + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// take takes a field away, if it has the value that was read. A value that cannot be compared is nil.
func (f *Finding) take(at string, value any) {
	if value != nil {
		f.Patch = append(f.Patch, Op{Op: "test", Path: at, Value: value})
	}
	f.Patch = append(f.Patch, Op{Op: "remove", Path: at})
}

// takeItem takes an item of a list away, if a field of it, or the item itself, has the value that was read. Items go last first.
func (f *Finding) takeItem(list string, i int, field string, value any) {
	item := fmt.Sprintf("%s/%d", list, i)
	f.Patch = append(f.Patch, Op{Op: "test", Path: item + field, Value: value}, Op{Op: "remove", Path: item})
}

// of has a patch meet the very object that was read.
func (f *Finding) of(obj *unstructured.Unstructured) Finding {
	if len(f.What) == 0 {
		return Finding{}
	}
	f.Patch = append([]Op{{Op: "test", Path: "/metadata/uid", Value: obj.GetUID()}}, f.Patch...)
	return *f
}
