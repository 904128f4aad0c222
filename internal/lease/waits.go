package lease

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// waits remembers which manager a standby waits for, so that it reports that once.
type waits struct {
	key     client.ObjectKey
	holder  string
	covered bool
}

func (w *waits) end() {
	if *w == (waits{}) {
		return
	}
	waitsGauge.Reset()
	*w = waits{}
}

// waitsFor reports which manager this one waits for, once for each holder. A manager that does all of this one's work is an ordinary
// leader. If it does only a part, people must know, since nobody does the rest.
func (l *Lock) waitsFor(lease *coordinationv1.Lease) {
	theirs := scope.Of(lease.Annotations)
	covered := theirs.Covers(l.others.scope)
	now := waits{client.ObjectKeyFromObject(lease), Holder(lease), covered}
	if l.waits == now {
		return
	}
	l.waits = now
	waitsGauge.Reset()
	if covered {
		waitsGauge.WithLabelValues(now.key.Namespace, now.key.Name, "true").Set(1)
		l.log.Info("Waiting for another manager, which does the same", "lease", now.key, "holder", now.holder, "covers", theirs.String())
		return
	}
	waitsGauge.WithLabelValues(now.key.Namespace, now.key.Name, "false").Set(1)
	l.log.Info("Waiting for another manager, which does only a part of what this one would do; nobody does the rest",
		"lease", now.key, "holder", now.holder, "covers", theirs.String(), "wanted", l.others.scope.String())
	if l.Recorder != nil {
		l.Recorder.Eventf(about(lease), nil, corev1.EventTypeWarning, ReasonManagerWaits, "Wait",
			"%s waits for %s, which manages: %s. Nobody manages the rest of: %s", l.identity, now.holder, theirs, l.others.scope)
	}
}
