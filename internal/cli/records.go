package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// findRecord finds the record that a person named, by its own name or by its machine's.
func findRecord(ctx context.Context, c client.Client, namespace string, t target) (*v1alpha1.MachineRemediation, error) {
	if t.kind == kindRemediation {
		return (&useractions.Person{Client: c}).Record(ctx, namespace, t.name)
	}
	open, err := listRecords(ctx, c, client.InNamespace(namespace), client.HasLabels{v1alpha1.OpenLabel})
	if err != nil {
		return nil, err
	}
	// One that has ended keeps the label until what a former leader may still do for it is taken back.
	meant := slices.DeleteFunc(open, func(r v1alpha1.MachineRemediation) bool { return !t.means(&r) || ladder.Ended(&r) })
	switch len(meant) {
	case 0:
		return notOpen(ctx, c, namespace, t)
	case 1:
		return &meant[0], nil
	}
	names := make([]string, len(meant))
	for i := range meant {
		names[i] = fmt.Sprintf("mr/%s (%s)", meant[i].Name, meant[i].Status.Phase)
	}
	return nil, usageError{fmt.Errorf("%s has %d open MachineRemediations: name one of them: %s", t.name, len(meant), strings.Join(names, ", "))}
}

// means reports whether a person may mean a record: a name without a kind may be its machine's or its own.
func (t target) means(r *v1alpha1.MachineRemediation) bool {
	return (t.kind != kindRemediation && r.Spec.MachineRef.Name == t.name) || (t.kind != kindMachine && r.Name == t.name)
}

func listRecords(ctx context.Context, c client.Client, options ...client.ListOption) ([]v1alpha1.MachineRemediation, error) {
	var list v1alpha1.MachineRemediationList
	if err := c.List(ctx, &list, options...); err != nil {
		return nil, useractions.Explained(err)
	}
	return list.Items, nil
}

// notOpen explains why there is no open record. If the person named an ended record itself, it returns that.
func notOpen(ctx context.Context, c client.Client, namespace string, t target) (*v1alpha1.MachineRemediation, error) {
	all, err := listRecords(ctx, c, client.InNamespace(namespace))
	if err != nil {
		return nil, err
	}
	last := t.latest(all)
	if last != nil && last.Name == t.name {
		return last, nil
	}
	machine := &clusterv1.Machine{}
	err = c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: t.name}, machine)
	switch {
	case last == nil && apierrors.IsNotFound(err):
		return nil, fmt.Errorf("there is no machine %s in namespace %s, and no MachineRemediation for one", t.name, namespace)
	case err != nil && !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err):
		return nil, fmt.Errorf("getting machine %s: %w", t.name, err)
	}
	return nil, fmt.Errorf("machine %s is not under repair, so there is nothing to decide%s%s", t.name, verdictOf(machine, err), ended(last))
}

// latest returns the youngest record that a person may mean; nil if there is none.
func (t target) latest(all []v1alpha1.MachineRemediation) *v1alpha1.MachineRemediation {
	var last *v1alpha1.MachineRemediation
	for i := range all {
		if r := &all[i]; t.means(r) && (last == nil || last.CreationTimestamp.Before(&r.CreationTimestamp)) {
			last = r
		}
	}
	return last
}

// verdictOf says whether a machine is healthy.
func verdictOf(machine *clusterv1.Machine, err error) string {
	stored := verdict.Of(machine)
	switch {
	case apierrors.IsNotFound(err):
		return ". It is gone"
	case err != nil || stored.Status == "":
		return ""
	case stored.Status == metav1.ConditionTrue:
		return ". It is healthy"
	case stored.Status == metav1.ConditionFalse:
		return ". It is sick, but its repair has not been admitted: " + stored.Message
	}
	return ". Its health is unknown: " + stored.Message
}

// ended says how the last record ended.
func ended(last *v1alpha1.MachineRemediation) string {
	if last == nil || last.Status.CompletionTime == nil {
		return ""
	}
	why := ""
	if reason := ladder.Success(&last.Status).Reason; reason != "" {
		why = " (" + reason + ")"
	}
	return fmt.Sprintf(". Its last repair, mr/%s, ended at %s%s", last.Name, last.Status.CompletionTime.UTC().Format(time.RFC3339), why)
}
