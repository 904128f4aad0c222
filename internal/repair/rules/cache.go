package rules

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Cache keeps compiled rules, for the latest generation of each template. It only saves time. It is safe for concurrent use, and the zero value is
// ready to use.
type Cache struct{ compiled sync.Map }

type compiled struct {
	uid        types.UID
	generation int64
	rules      *Rules
	err        error
}

// Get returns the rules of a template, or an error that says what is wrong with them.
func (c *Cache) Get(template *v1alpha1.MachineRemediationTemplate) (*Rules, error) {
	key := client.ObjectKeyFromObject(template)
	if kept, ok := c.compiled.Load(key); ok {
		if known := kept.(compiled); known.uid == template.UID && known.generation == template.Generation {
			return known.rules, known.err
		}
	}
	rules, err := Compile(&template.Spec.Template.Spec)
	c.compiled.Store(key, compiled{template.UID, template.Generation, rules, err})
	return rules, err
}
