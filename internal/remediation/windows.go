package remediation

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// windowOf returns for how long a record is remembered after it has ended.
type windowOf = func(context.Context, *v1alpha1.MachineRemediation) (time.Duration, error)

// leastWindow is for how long the records of a plan are needed at least: pacing and the chains of replacements go by them.
const leastWindow = time.Hour

// windows reads each plan once. Built-in plans have no memory; of a plan that is gone, the default is assumed.
func (r *Reconciler) windows() windowOf {
	known := map[types.UID]time.Duration{}
	return func(ctx context.Context, record *v1alpha1.MachineRemediation) (time.Duration, error) {
		ref := record.Spec.TemplateRef
		if ref == nil {
			return 0, nil
		}
		if window, ok := known[ref.UID]; ok {
			return window, nil
		}
		template, err := plan(ctx, r.Client, client.ObjectKey{Namespace: record.Namespace, Name: ref.Name})
		if err != nil {
			return 0, err
		}
		window := v1alpha1.DefaultRelapseWindow
		if template != nil {
			window = max(leastWindow, template.Spec.Template.Spec.RelapseWindow())
		}
		known[ref.UID] = window
		return window, nil
	}
}
