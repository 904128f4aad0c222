package upgradepause

import (
	"errors"
	"sync"
)

// Installed tells the controllers that a kind of OpenShift has been installed, now or
// long ago. The zero value is ready, and says that it has not. It is safe for concurrent use.
type Installed struct {
	mu   sync.Mutex
	yes  bool
	tell []func() error
}

// Set says so.
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

// whenSet calls tell when the kind is installed, at once if it is.
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
