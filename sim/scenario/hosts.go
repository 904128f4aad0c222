package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Hosts is a record of the hosts of a cluster, for later checks of what was done to them.
type Hosts struct {
	world   *world.World
	journal *journal.Journal
	before  map[client.ObjectKey]hostBefore
}

type hostBefore struct {
	object *metal3v1.BareMetalHost
	// node is the UID of its Node.
	node types.UID
	// changes counts how often its power had changed, and boots how often it had booted.
	changes, boots int
}

// RememberHosts records the hosts of a cluster and their Nodes.
func RememberHosts(ctx context.Context, w *world.World, j *journal.Journal, cluster client.ObjectKey) (*Hosts, error) {
	list := &metal3v1.BareMetalHostList{}
	err := w.Client().List(ctx, list, client.InNamespace(cluster.Namespace), client.MatchingLabels{clusterv1.ClusterNameLabel: cluster.Name})
	if err != nil {
		return nil, fmt.Errorf("listing the hosts of cluster %s: %w", cluster, err)
	}
	h := &Hosts{world: w, journal: j, before: map[client.ObjectKey]hostBefore{}}
	for i := range list.Items {
		key := client.ObjectKeyFromObject(&list.Items[i])
		node, err := h.nodeOn(ctx, key)
		if err != nil {
			return nil, err
		}
		host := w.Host(key)
		h.before[key] = hostBefore{object: &list.Items[i], node: node, changes: len(host.History()), boots: host.Boots()}
	}
	return h, nil
}

// nodeOn returns the UID of the Node of a host; empty if it has none.
func (h *Hosts) nodeOn(ctx context.Context, key client.ObjectKey) (types.UID, error) {
	node := &corev1.Node{}
	if err := h.world.Client().Get(ctx, client.ObjectKey{Name: key.Name}, node); client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("getting the Node of host %s: %w", key, err)
	}
	return node.UID, nil
}

// Cycled returns an error unless the operator cycled each of these hosts once, its Node was deleted while it had no power, and
// nothing is left on it. It also returns an error if any other host was touched.
func (h *Hosts) Cycled(ctx context.Context, cycled ...client.ObjectKey) error {
	var errs []error
	for key := range h.before {
		if slices.Contains(cycled, key) {
			errs = append(errs, h.cycled(ctx, key, 1))
			continue
		}
		errs = append(errs, h.cycled(ctx, key, 0), h.undisturbed(ctx, key))
	}
	return errors.Join(errs...)
}

// cycled returns an error unless the operator cycled a host that many times, its Node was deleted during the first time without
// power, and nothing is left on it.
func (h *Hosts) cycled(ctx context.Context, key client.ObjectKey, times int) error {
	changes := h.world.Host(key).History()[h.before[key].changes:]
	errs := []error{powered(key, changes, times), h.asBefore(ctx, key)}
	if times > 0 {
		errs = append(errs, h.nodeWentWhileOff(key, times))
	}
	return errors.Join(errs...)
}

// powered returns an error unless these changes are what the operator did when it switched a host off and on that many times.
func powered(host client.ObjectKey, changes []baremetal.Change, times int) error {
	for i, change := range changes {
		if change.Running != (i%2 == 1) || change.Why != baremetal.ByOrder {
			return fmt.Errorf("the power of host %s did not change as ordered, off and then on: %v", host, changes)
		}
	}
	if len(changes) != 2*times {
		return fmt.Errorf("host %s was not power-cycled %d times: %v", host, times, changes)
	}
	return nil
}

// nodeWentWhileOff checks what the host itself saw: its Node existed at the last moment with power, and no longer at the next
// one.
func (h *Hosts) nodeWentWhileOff(key client.ObjectKey, times int) error {
	views := h.world.Views(key)[h.before[key].boots-1:]
	if len(views) != times+1 {
		return fmt.Errorf("host %s has booted %d times", key, len(views)-1)
	}
	last, first := views[0], views[1]
	if err := errors.Join(last.Err, first.Err); err != nil {
		return fmt.Errorf("looking out of host %s: %w", key, err)
	}
	if last.Last != h.before[key].node || first.First != "" {
		return fmt.Errorf("the Node of host %s was not deleted while the host was off: it had %q when it lost power, and %q when it got it", key, last.Last, first.First)
	}
	return nil
}

// asBefore returns an error if a host differs from its recorded state.
func (h *Hosts) asBefore(ctx context.Context, key client.ObjectKey) error {
	host := &metal3v1.BareMetalHost{}
	if err := h.world.Client().Get(ctx, key, host); err != nil {
		return fmt.Errorf("getting host %s: %w", key, err)
	}
	if !h.same(host) {
		return fmt.Errorf("host %s is not as it was: annotations %v, spec %+v", key, host.Annotations, host.Spec)
	}
	return nil
}

func (h *Hosts) same(host *metal3v1.BareMetalHost) bool {
	before := h.before[client.ObjectKeyFromObject(host)].object
	return host.UID == before.UID && host.Generation == before.Generation && maps.Equal(host.Annotations, before.Annotations)
}

// undisturbed returns an error if anybody touched a host or replaced its Node.
func (h *Hosts) undisturbed(ctx context.Context, key client.ObjectKey) error {
	remembered := journal.Entry{Object: h.before[key].object}
	touched, found := h.journal.Find(func(e journal.Entry) bool {
		host, ok := e.Object.(*metal3v1.BareMetalHost)
		return ok && client.ObjectKeyFromObject(host) == key && !e.Before(remembered) && !h.same(host)
	})
	if found {
		return fmt.Errorf("host %s was touched: %v", key, touched.Object.GetAnnotations())
	}
	node, err := h.nodeOn(ctx, key)
	if err != nil {
		return err
	}
	if node != h.before[key].node {
		return fmt.Errorf("host %s has another Node", key)
	}
	return nil
}
