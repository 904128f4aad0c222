package fleet

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// pausedSets has only paused MachineSets, of which one cannot be read, and counts reads.
type pausedSets struct {
	client.Reader
	reads map[string]int
}

func (p pausedSets) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	p.reads[key.Name]++
	if key.Name == "broken" {
		return errors.New("no connection")
	}
	*obj.(*clusterv1.MachineSet) = *build.MachineSet(key.Namespace, key.Name)
	obj.SetAnnotations(map[string]string{clusterv1.PausedAnnotation: ""})
	obj.SetUID("uid-of-owner")
	return nil
}

// TestReadOwners: the owners of sick machines and of those under repair are read, each once, and no others. One that cannot be read is unknown.
func TestReadOwners(t *testing.T) {
	of := func(name, set string, status metav1.ConditionStatus, options ...build.MachineOption) *explain.Machine {
		m := build.Machine("ns", name, append(options, build.Verdict(status, build.Epoch))...)
		m.OwnerReferences = []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "MachineSet", Name: set, UID: "uid-of-owner", Controller: new(true)}}
		return &explain.Machine{Machine: m}
	}
	repaired := of("repaired", "b", metav1.ConditionTrue)
	repaired.Record = &explain.Record{}
	want := map[*explain.Machine]silence.Cause{
		of("sick", "a", metav1.ConditionFalse): silence.PausedByAnnotation, of("another", "a", metav1.ConditionFalse): silence.PausedByAnnotation,
		repaired: silence.PausedByAnnotation, of("healthy", "c", metav1.ConditionTrue): silence.None,
		of("deleting", "d", metav1.ConditionFalse, build.Deleting(build.Epoch)): silence.None, of("unread", "broken", metav1.ConditionFalse): silence.None,
	}
	live := pausedSets{reads: map[string]int{}}
	l := &look{Observer: &Observer{Live: live}}
	for m := range want {
		l.facts.Machines = append(l.facts.Machines, m)
	}
	l.readOwners(t.Context())
	for m, cause := range want {
		if got := silence.Of(m.Owner).Cause; got != cause {
			t.Errorf("%s: %q, want %q", m.Machine.Name, got, cause)
		}
	}
	if live.reads["a"] != 1 || live.reads["b"] != 1 || live.reads["c"]+live.reads["d"] != 0 {
		t.Errorf("it reads %v", live.reads)
	}
}
