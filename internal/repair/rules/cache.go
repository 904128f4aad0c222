package rules

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Cache keeps compiled rules, for the latest generation of each template. It only saves time. The zero value is ready to use.
type Cache struct {
	mu       sync.Mutex
	compiled map[types.UID]compiled
}

type compiled struct {
	generation int64
	rules      *Rules
	err        error
}

// Get returns the rules of a template, or an error that says what is wrong with them.
func (c *Cache) Get(template *v1alpha1.MachineRemediationTemplate) (*Rules, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.compiled[template.UID]; ok && known.generation == template.Generation {
		return known.rules, known.err
	}
	rules, err := Compile(&template.Spec.Template.Spec)
	if c.compiled == nil {
		c.compiled = map[types.UID]compiled{}
	}
	c.compiled[template.UID] = compiled{generation: template.Generation, rules: rules, err: err}
	return rules, err
}

// Forget drops the compiled rules of a template that is gone.
func (c *Cache) Forget(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.compiled, uid)
}
