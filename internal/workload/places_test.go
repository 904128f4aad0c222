package workload

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestPlaces: each cluster has its own limit.
func TestPlaces(t *testing.T) {
	a, b := client.ObjectKey{Name: "a"}, client.ObjectKey{Name: "b"}
	places := &Places{Most: 1}
	leave, err := places.Enter(a)
	if err != nil {
		t.Fatal("nobody is let in")
	}
	if _, err := places.Enter(a); err == nil {
		t.Error("two are let in")
	}
	if _, err := places.Enter(b); err != nil {
		t.Error("another cluster is full, too")
	}
	leave()
	if leave, err = places.Enter(a); err != nil {
		t.Errorf("when the first one has left: %v", err)
	}
	leave()
	if _, known := places.busy[a]; known || len(places.busy) != 1 {
		t.Errorf("known are %v", places.busy)
	}
	open := &Places{}
	for range 100 {
		if _, err := open.Enter(a); err != nil {
			t.Fatal("without a bound somebody is not let in")
		}
	}
}
