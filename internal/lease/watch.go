package lease

import (
	"cmp"
	"context"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// Reasons of events about leases.
const (
	// ReasonManagersOverlap means that two managers work on the same objects at the same time.
	ReasonManagersOverlap = "ManagersOverlap"
	// ReasonManagerWaits means that a manager waits for another one that does only a part of its work.
	ReasonManagerWaits = "ManagerWaits"
)

// period is how often a leader looks for others. A lease that is held is renewed more often.
const period = 10 * time.Second

// Watch looks for other managers that work on the same objects: managers that do not wait for others, and managers
// that this one could not see before.
type Watch struct {
	// Period is how often to look; zero means every 10 seconds.
	Period time.Duration

	recorder events.EventRecorder
	others   *others
	log      logr.Logger
	known    map[client.ObjectKey]string
}

var _ manager.LeaderElectionRunnable = &Watch{}

// NewWatch makes a Watch for a manager. The manager need not have a lease.
func NewWatch(cfg *rest.Config, own client.ObjectKey, s scope.Scope, recorder events.EventRecorder, log logr.Logger) (*Watch, error) {
	all, err := newOthers(cfg, own, s)
	if err != nil {
		return nil, err
	}
	return &Watch{recorder: recorder, others: all, log: log, known: map[client.ObjectKey]string{}}, nil
}

// NeedLeaderElection returns true: a standby does nothing, so it overlaps with nobody.
func (w *Watch) NeedLeaderElection() bool { return true }

// Start looks until ctx ends.
func (w *Watch) Start(ctx context.Context) error {
	wait.UntilWithContext(ctx, w.look, cmp.Or(w.Period, period))
	return nil
}

// look reports managers that have appeared, and those that have gone.
func (w *Watch) look(ctx context.Context) {
	overlapping, err := w.others.overlapping(ctx)
	switch {
	case apierrors.IsForbidden(err):
		w.log.V(1).Info("Other managers cannot be seen", "err", err)
		return
	case err != nil:
		w.log.V(1).Info("Other managers cannot be seen just now", "err", err)
		return
	}
	now := map[client.ObjectKey]string{}
	for i := range overlapping {
		key := client.ObjectKeyFromObject(&overlapping[i])
		now[key] = Holder(&overlapping[i])
		overlapsGauge.WithLabelValues(key.Namespace, key.Name).Set(1)
		if w.known[key] != now[key] {
			w.tell(&overlapping[i])
		}
	}
	for key, holder := range w.known {
		if _, still := now[key]; !still {
			overlapsGauge.DeleteLabelValues(key.Namespace, key.Name)
			w.log.Info("Another manager does not work on the same objects any more", "lease", key, "holder", holder)
		}
	}
	w.known = now
}

func (w *Watch) tell(lease *coordinationv1.Lease) {
	theirs := scope.Of(lease.Annotations)
	w.log.Info("Another manager works on the same objects at the same time", "lease", client.ObjectKeyFromObject(lease), "holder", Holder(lease),
		"covers", theirs.String(), "this", w.others.scope.String())
	w.recorder.Eventf(about(lease), nil, corev1.EventTypeWarning, ReasonManagersOverlap, "Watch",
		"Its holder manages: %s. At the same time, another manager manages: %s", theirs, w.others.scope)
}
