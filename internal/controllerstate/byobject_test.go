package controllerstate

import (
	"maps"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestByObject(t *testing.T) {
	var b ByObject[int]
	if b.Get(owner) != 0 || len(b.All()) > 0 {
		t.Error("the zero value keeps something")
	}
	b.Set(another, 7)
	if got := b.Update(owner, func(kept int) int { return kept + 1 }); got != 1 || b.Get(owner) != 1 {
		t.Errorf("kept is %d, want 1", got)
	}
	if got := b.All(); !maps.Equal(got, map[client.ObjectKey]int{owner: 1, another: 7}) {
		t.Errorf("all are %v", got)
	}
	b.Update(owner, func(int) int { return 0 })
	b.Forget(another)
	if len(b.of) > 0 {
		t.Errorf("%v is kept", b.of)
	}
}
