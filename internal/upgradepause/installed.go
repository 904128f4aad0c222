package upgradepause

import (
	"errors"
	"sync"
)

// Installed records that an OpenShift kind is installed, and notifies the controllers. The zero value is
// ready, and means that it is not. It is safe for concurrent use.
type Installed struct {
	mu   sync.Mutex
	yes  bool
	tell []func() error
}

// Set records that the kind is installed.
func (i *Installed) Set() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.yes = true
	var errs []error
	for _, tell := range i.tell {
		errs = append(errs, tell())
	}
	return errors.Join(errs...)
}

// whenSet calls tell once the kind is installed: now, if it is installed already.
func (i *Installed) whenSet(tell func() error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.tell = append(i.tell, tell)
	if i.yes {
		return tell()
	}
	return nil
}

func (i *Installed) get() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.yes
}
