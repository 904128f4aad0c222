// Package journal records everything that the API server reports about the Machines, MachineHealthChecks and
// MachineRemediations of a world, and about the events of remediations. With bare metal, it also records hosts, their Nodes
// and RebootRemediations. Waiting on a journal misses nothing: it finds a state that lasted only a few milliseconds, with the
// time at which it was seen, even if nobody was waiting then. Watch is for those who keep their own record.
package journal

import (
	"context"
	"fmt"
	"sync"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Entry is one state of an object, as it was seen.
type Entry struct {
	At time.Time
	// Object is a *clusterv1.Machine, a *clusterv1.MachineHealthCheck, a *v1alpha1.MachineRemediation, a
	// *eventsv1.Event, a *metal3v1.BareMetalHost, a *corev1.Node or a *v1alpha1.RebootRemediation. A matcher must not change it; an
	// entry that is returned has a copy.
	Object client.Object
	// Gone is set if this is the last state of an object that no longer exists.
	Gone bool
}

// Before reports whether a state was stored before another one. States of different kinds may be seen in any order, but one
// etcd numbers all of them.
func (e Entry) Before(other Entry) bool {
	order, err := resourceversion.CompareResourceVersion(e.Object.GetResourceVersion(), other.Object.GetResourceVersion())
	return err == nil && order < 0
}

// copied returns an entry whose object is the caller's: other tests read the journal's at the same time.
func (e Entry) copied() Entry {
	e.Object = e.Object.DeepCopyObject().(client.Object)
	return e
}

// Journal holds the entries in the order in which they were seen.
type Journal struct {
	mu      sync.Mutex
	entries []Entry
	// grown is closed, and replaced, with every new entry.
	grown chan struct{}
}

// Open opens a journal of a world. It ends with ctx.
func Open(ctx context.Context, w *world.World) (*Journal, error) {
	j := newJournal()
	ours := fields.OneTermEqualSelector("reportingController", reporter)
	options := cache.Options{ByObject: map[client.Object]cache.ByObject{&eventsv1.Event{}: {Field: ours}}}
	return j, Watch(ctx, w, options, j.write, kinds(w)...)
}

// reporter is the reporting controller of the recorded events.
const reporter = "remediation"

func kinds(w *world.World) []client.Object {
	kinds := []client.Object{&clusterv1.Machine{}, &clusterv1.MachineHealthCheck{}, &v1alpha1.MachineRemediation{}, &eventsv1.Event{}}
	if w.HasMetal() {
		kinds = append(kinds, &metal3v1.BareMetalHost{}, &corev1.Node{}, &v1alpha1.RebootRemediation{})
	}
	return kinds
}

func newJournal() *Journal { return &Journal{grown: make(chan struct{})} }

func (j *Journal) write(object client.Object, gone bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, Entry{At: time.Now(), Object: object, Gone: gone})
	close(j.grown)
	j.grown = make(chan struct{})
}

// since returns the entries from the given index on, and a channel that is closed with the next entry.
func (j *Journal) since(index int) ([]Entry, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.entries[index:], j.grown
}

// Await returns the first matching entry from the beginning of the journal, as soon as there is one. The error names what if
// ctx ends first.
func (j *Journal) Await(ctx context.Context, what string, matches func(Entry) bool) (Entry, error) {
	for index := 0; ; {
		entries, grown := j.since(index)
		for _, entry := range entries {
			if matches(entry) {
				return entry.copied(), nil
			}
		}
		index += len(entries)
		select {
		case <-grown:
		case <-ctx.Done():
			return Entry{}, fmt.Errorf("waiting for %s: %w", what, context.Cause(ctx))
		}
	}
}

// Find returns the first matching entry, if there is one already.
func (j *Journal) Find(matches func(Entry) bool) (Entry, bool) {
	entries, _ := j.since(0)
	for _, entry := range entries {
		if matches(entry) {
			return entry.copied(), true
		}
	}
	return Entry{}, false
}
