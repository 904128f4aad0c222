package machinehealthcheck

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// A status names all Machines, and to store that of 10,000 takes the API server a tenth of a second. In a storm the
// numbers in it change with every verdict, and while it is written no remedy is applied. So numbers wait for each other
// in proportion to what they cost: a second with 10,000 Machines, a tenth of that with 1,000, and not at all with a few.
const (
	pausePerTarget = time.Second / 10_000
	shortestPause  = 10 * time.Millisecond
)

// told remembers when the status of each MachineHealthCheck was last stored. It only delays.
type told struct{ at sync.Map } // types.NamespacedName to time.Time

// wait returns how long a status is to wait that differs in numbers only.
func (t *told) wait(mhc types.NamespacedName, machines int, now time.Time) time.Duration {
	at, ok := t.at.Load(mhc)
	if !ok {
		return 0
	}
	return max(0, at.(time.Time).Add(pauseOf(machines)).Sub(now))
}

// pauseOf is how long numbers of so many Machines wait for each other.
func pauseOf(machines int) time.Duration {
	if pause := time.Duration(machines) * pausePerTarget; pause >= shortestPause {
		return pause
	}
	return 0
}

func (t *told) note(mhc types.NamespacedName, now time.Time) { t.at.Store(mhc, now) }

func (t *told) forget(mhc types.NamespacedName) { t.at.Delete(mhc) }

// urgent tells whether a status says something else than before, and not just other numbers: a condition has another
// status or another reason, comes or goes, or the spec is another.
func urgent(mhc *clusterv1.MachineHealthCheck, desired clusterv1.MachineHealthCheckStatus) bool {
	if mhc.Status.ObservedGeneration != desired.ObservedGeneration {
		return true
	}
	kept := 0
	for _, c := range mhc.Status.Conditions {
		if !ours(mhc, c.Type) {
			continue
		}
		now := meta.FindStatusCondition(desired.Conditions, c.Type)
		if now == nil || now.Status != c.Status || now.Reason != c.Reason {
			return true
		}
		kept++
	}
	return kept != len(desired.Conditions)
}
