package remediation

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// windowOf returns for how long a record is remembered after it has ended.
type windowOf = func(context.Context, *v1alpha1.MachineRemediation) (time.Duration, error)

// pacingWindow is for how long the records of a plan with pacing are needed at least.
const pacingWindow = time.Hour

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
		template := &v1alpha1.MachineRemediationTemplate{}
		err := r.Client.Get(ctx, client.ObjectKey{Namespace: record.Namespace, Name: ref.Name}, template)
		if client.IgnoreNotFound(err) != nil {
			return 0, fmt.Errorf("getting MachineRemediationTemplate %s/%s: %w", record.Namespace, ref.Name, err)
		}
		plan := template.Spec.Template.Spec
		window := plan.RelapseWindow()
		if plan.Pacing != nil {
			window = max(window, pacingWindow)
		}
		known[ref.UID] = window
		return window, nil
	}
}
