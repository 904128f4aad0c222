package reboot

import (
	"regexp"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// told remembers which failures people have been told of. A step that fails is tried again and again, and the same words once
// are enough. Nothing is decided by what is kept here, and nothing of an object that is gone. The zero value is ready.
type told struct {
	mu   sync.Mutex
	last map[client.ObjectKey]map[cycle.Action]string
}

// localPort is another one each time a connection is made.
var localPort = regexp.MustCompile(`:\d+->`)

// isNew reports whether a step did not fail with the same words when it was tried last.
func (t *told) isNew(key client.ObjectKey, action cycle.Action, text string) bool {
	text = localPort.ReplaceAllString(text, "->")
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last[key][action] == text {
		return false
	}
	if t.last == nil {
		t.last = map[client.ObjectKey]map[cycle.Action]string{}
	}
	if t.last[key] == nil {
		t.last[key] = map[cycle.Action]string{}
	}
	t.last[key][action] = text
	return true
}

// forget drops what is kept of a step that was taken.
func (t *told) forget(key client.ObjectKey, action cycle.Action) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.last[key], action)
}

// forgetAll drops what is kept of an object that is gone.
func (t *told) forgetAll(key client.ObjectKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.last, key)
}
