package fleet

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Mark is a statement about the health of a Machine in its status.
type Mark struct {
	Type   string
	Status metav1.ConditionStatus
}

// The marks of a subject.
var (
	Sick    = Mark{clusterv1.MachineHealthCheckSucceededCondition, metav1.ConditionFalse}
	Healthy = Mark{clusterv1.MachineHealthCheckSucceededCondition, metav1.ConditionTrue}
	Unknown = Mark{clusterv1.MachineHealthCheckSucceededCondition, metav1.ConditionUnknown}
	Owned   = Mark{clusterv1.MachineOwnerRemediatedCondition, metav1.ConditionFalse}
)

// Observer sees through a watch when marks are stored: a mark's time is when everybody could know about it.
type Observer struct {
	mutex sync.Mutex
	// seen is when each Machine got each mark that it has.
	seen map[client.ObjectKey]map[Mark]time.Time
}

// Observe watches all Machines of the fleet until ctx ends.
func (f *Fleet) Observe(ctx context.Context) (*Observer, error) {
	o := &Observer{seen: map[client.ObjectKey]map[Mark]time.Time{}}
	return o, journal.Watch(ctx, f.World, cache.Options{DefaultTransform: keepConditions}, o.see, &clusterv1.Machine{})
}

// keepConditions drops what an observer does not need: for 100,000 Machines, that is 1 GiB.
func keepConditions(obj any) (any, error) {
	machine, ok := obj.(*clusterv1.Machine)
	if !ok {
		return obj, nil
	}
	kept := &clusterv1.Machine{Status: clusterv1.MachineStatus{Conditions: machine.Status.Conditions}}
	kept.Namespace, kept.Name, kept.UID, kept.ResourceVersion = machine.Namespace, machine.Name, machine.UID, machine.ResourceVersion
	return kept, nil
}

// see records the marks of a Machine.
func (o *Observer) see(object client.Object, gone bool) {
	now, has := time.Now(), map[Mark]time.Time{}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	key := client.ObjectKeyFromObject(object)
	for _, mark := range []Mark{Sick, Healthy, Unknown, Owned} {
		condition := conditions.Get(object.(*clusterv1.Machine), mark.Type)
		if condition == nil || condition.Status != mark.Status {
			continue
		}
		has[mark] = now
		if since, ok := o.seen[key][mark]; ok {
			has[mark] = since
		}
	}
	if !gone {
		o.seen[key] = has
	}
}

// Times waits until all these machines have a mark, and returns since when.
func (o *Observer) Times(ctx context.Context, machines []Machine, mark Mark) ([]time.Time, error) {
	return o.wait(ctx, machines, mark, true)
}

// Without waits until none of these machines has a mark.
func (o *Observer) Without(ctx context.Context, machines []Machine, mark Mark) error {
	_, err := o.wait(ctx, machines, mark, false)
	return err
}

func (o *Observer) wait(ctx context.Context, machines []Machine, mark Mark, want bool) ([]time.Time, error) {
	times := make([]time.Time, len(machines))
	err := world.Poll(ctx, func(context.Context) error {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		for i, m := range machines {
			since, has := o.seen[m.ObjectKey][mark]
			if has != want {
				return fmt.Errorf("that machine %s has %s=%s is still %t", m, mark.Type, mark.Status, has)
			}
			times[i] = since
		}
		return nil
	})
	return times, err
}
