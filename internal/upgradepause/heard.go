package upgradepause

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/note"
)

// heard remembers which signals could not be read, so that each is spoken of once. It decides
// nothing. The zero value is ready; it is safe for concurrent use.
type heard struct {
	mu         sync.Mutex
	unreadable map[corev1.ObjectReference]bool
}

// note shows a reading in the metrics, and says so if it has become unreadable, or readable again.
func (h *heard) note(ctx context.Context, recorder events.EventRecorder, reading Reading) {
	if reading.Subject == nil {
		return
	}
	measureSignal(reading)
	subject := corev1.ObjectReference{Kind: reading.Subject.Kind, Namespace: reading.Subject.Namespace, Name: reading.Subject.Name}
	if !h.turned(subject, reading.Err != nil) {
		return
	}
	log := ctrl.LoggerFrom(ctx).WithValues("signal", subject.Kind, "signalNamespace", subject.Namespace, "signalName", subject.Name)
	if reading.Err == nil {
		log.Info("It can be told again whether an upgrade is going on")
		recorder.Eventf(reading.Subject, nil, corev1.EventTypeNormal, EventReadable, eventAction, "Whether it upgrades can be told again")
		return
	}
	log.Info("It cannot be told whether an upgrade is going on, so nothing is paused or resumed for it", "cause", reading.Err.Error())
	recorder.Eventf(reading.Subject, nil, corev1.EventTypeWarning, EventUnreadable, eventAction,
		"%s", note.Fit("Whether it upgrades cannot be told, so nothing is paused or resumed for it: "+reading.Err.Error()))
}

// turned reports whether this is news.
func (h *heard) turned(subject corev1.ObjectReference, unreadable bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.unreadable[subject] == unreadable {
		return false
	}
	if h.unreadable == nil {
		h.unreadable = map[corev1.ObjectReference]bool{}
	}
	if unreadable {
		h.unreadable[subject] = true
		return true
	}
	delete(h.unreadable, subject)
	return true
}
