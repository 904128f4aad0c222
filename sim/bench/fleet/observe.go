package fleet

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	machines, err := cache.New(f.World.Config(), cache.Options{Scheme: world.NewScheme(), DefaultTransform: keepConditions})
	if err != nil {
		return nil, fmt.Errorf("making a cache of machines: %w", err)
	}
	informer, err := machines.GetInformer(ctx, &clusterv1.Machine{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("watching machines: %w", err)
	}
	registered, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { o.see(obj.(*clusterv1.Machine)) },
		UpdateFunc: func(_, obj any) { o.see(obj.(*clusterv1.Machine)) },
	})
	if err != nil {
		return nil, fmt.Errorf("watching machines: %w", err)
	}
	go func() { _ = machines.Start(ctx) }()
	if !toolscache.WaitForCacheSync(ctx.Done(), registered.HasSynced) {
		return nil, fmt.Errorf("watching machines: %w", context.Cause(ctx))
	}
	return o, nil
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

func (o *Observer) see(machine *clusterv1.Machine) {
	now := time.Now()
	o.mutex.Lock()
	defer o.mutex.Unlock()
	key := client.ObjectKeyFromObject(machine)
	had := o.seen[key]
	has := map[Mark]time.Time{}
	for _, mark := range []Mark{Sick, Healthy, Unknown, Owned} {
		condition := conditions.Get(machine, mark.Type)
		if condition == nil || condition.Status != mark.Status {
			continue
		}
		has[mark] = now
		if since, ok := had[mark]; ok {
			has[mark] = since
		}
	}
	o.seen[key] = has
}

// Times waits until all these machines have a mark, and returns since when.
func (o *Observer) Times(ctx context.Context, machines []Machine, mark Mark) ([]time.Time, error) {
	times := make([]time.Time, len(machines))
	err := world.Poll(ctx, func(context.Context) error {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		for i, m := range machines {
			since, ok := o.seen[m.ObjectKey][mark]
			if !ok {
				return fmt.Errorf("machine %s does not have %s=%s", m, mark.Type, mark.Status)
			}
			times[i] = since
		}
		return nil
	})
	return times, err
}

// Without waits until none of these machines has a mark.
func (o *Observer) Without(ctx context.Context, machines []Machine, mark Mark) error {
	return world.Poll(ctx, func(context.Context) error {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		for _, m := range machines {
			if _, has := o.seen[m.ObjectKey][mark]; has {
				return fmt.Errorf("machine %s still has %s=%s", m, mark.Type, mark.Status)
			}
		}
		return nil
	})
}
