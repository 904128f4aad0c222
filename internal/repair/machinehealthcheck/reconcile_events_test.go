package machinehealthcheck

import (
	"testing"
)

// TestEventNotesAreShort: the API refuses those of more than a kilobyte.
func TestEventNotesAreShort(t *testing.T) {
	w := newHarness(t)
	long := make([]byte, 5000)
	for i := range long {
		long[i] = 'x'
	}
	w.event(w.cluster, nil, "Normal", "Test", string(long))
	if got := len(<-w.recorder.Events) - len("Normal Test "); got != 1024 {
		t.Errorf("the note takes %d bytes", got)
	}
}
