package controllerstate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var (
	owner   = client.ObjectKey{Namespace: "ns", Name: "owner"}
	another = client.ObjectKey{Namespace: "ns", Name: "another"}
	start   = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

func written(name, uid, version string) client.Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(uid), ResourceVersion: version}}
}

// cache shows some objects.
func cache(objs ...client.Object) func(client.ObjectKey) client.Object {
	return func(key client.ObjectKey) client.Object {
		for _, obj := range objs {
			if client.ObjectKeyFromObject(obj) == key {
				return obj
			}
		}
		return nil
	}
}

func names(all []Expected) []string {
	var list []string
	for _, one := range all {
		list = append(list, one.Object.GetName()+" "+one.Object.GetResourceVersion())
	}
	return list
}

func TestUnseen(t *testing.T) {
	tests := map[string]struct {
		shown []client.Object
		want  []string
	}{
		"nothing":         {nil, []string{"a 10", "b 20"}},
		"one":             {[]client.Object{written("a", "1", "10")}, []string{"b 20"}},
		"a newer one":     {[]client.Object{written("a", "1", "11")}, []string{"b 20"}},
		"an older one":    {[]client.Object{written("a", "1", "9")}, []string{"a 10", "b 20"}},
		"another of that": {[]client.Object{written("a", "2", "11")}, []string{"b 20"}},
		"one before it":   {[]client.Object{written("a", "2", "9")}, []string{"a 10", "b 20"}},
		"all":             {[]client.Object{written("a", "1", "10"), written("b", "1", "20")}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var u Memory[int]
			u.ExpectFor(owner, written("b", "1", "20"), start)
			u.ExpectFor(owner, written("a", "1", "10"), start)
			u.ExpectFor(another, written("c", "1", "30"), start)
			if diff := cmp.Diff(tt.want, names(u.Unseen(owner, cache(tt.shown...)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, names(u.Unseen(owner, cache()))); diff != "" {
				t.Errorf("what was seen is not forgotten (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDrop(t *testing.T) {
	var u Memory[int]
	u.Drop(owner, written("a", "1", "10"))
	u.ExpectFor(owner, written("a", "1", "10"), start)
	u.Drop(owner, written("a", "another", "11"))
	if got := u.Unseen(owner, cache()); len(got) != 1 || !got[0].Since.Equal(start) {
		t.Errorf("%v are unseen, want the one whose namesake is gone", got)
	}
	u.Drop(owner, written("a", "1", "12"))
	if got := u.Unseen(owner, cache()); len(got) > 0 {
		t.Errorf("%v are unseen, though it is gone", names(got))
	}
}
