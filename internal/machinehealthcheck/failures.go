package machinehealthcheck

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// failures remembers what was told about remedies that could not be applied. They
// are tried again and again, and the same words once are enough. Nothing is decided
// by what is kept here.
type failures struct {
	mu   sync.Mutex
	told map[types.NamespacedName]map[types.UID]string // by MachineHealthCheck, then by Machine
}

// isNew tells whether a failure was not the same when it was tried last.
func (f *failures) isNew(mhc types.NamespacedName, machine types.UID, text string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.told[mhc][machine] != text
}

// replace keeps the failures of the latest run.
func (f *failures) replace(mhc types.NamespacedName, latest map[types.UID]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(latest) == 0 {
		delete(f.told, mhc)
		return
	}
	if f.told == nil {
		f.told = map[types.NamespacedName]map[types.UID]string{}
	}
	f.told[mhc] = latest
}
