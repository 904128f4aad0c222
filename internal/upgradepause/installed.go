package upgradepause

import (
	"errors"
	"sync"
)

// Installed records that an OpenShift kind is installed, and wakes up the controllers. The zero value is ready, and means
// that it is not. It is safe for concurrent use.
type Installed struct {
	mu   sync.Mutex
	yes  bool
	wake []func() error
}

// Set records that the kind is installed.
func (i *Installed) Set() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.yes = true
	var errs []error
	for _, wake := range i.wake {
		errs = append(errs, wake())
	}
	return errors.Join(errs...)
}

// whenSet has Set call wake.
func (i *Installed) whenSet(wake func() error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.wake = append(i.wake, wake)
}

func (i *Installed) get() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.yes
}
