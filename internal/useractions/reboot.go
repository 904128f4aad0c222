package useractions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/preview"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// RebootTime is how long a power cycle may take that a person asks for.
const RebootTime = time.Hour

// Asked says what a person asks for: why, and after which step the host is to stay off. Without one, it is a whole power cycle.
type Asked struct {
	Reason string
	Until  v1alpha1.Step
}

// Reboot returns the change that asks for one power cycle of a machine's host: a MachineRemediation without a finding.
func (p *Person) Reboot(ctx context.Context, namespace, name string, asked Asked) (*Change, error) {
	if err := CheckReason(asked.Reason); err != nil {
		return nil, err
	}
	machine, cluster, err := p.machine(ctx, namespace, name)
	if err != nil {
		return nil, err
	}
	host, err := p.host(ctx, machine)
	if err != nil {
		return nil, err
	}
	records, err := recordstore.LiveOfMachines(ctx, p.Client, namespace, machine.UID)
	if err != nil {
		return nil, Explained(err)
	}
	last, open := latest(records)
	title := "Power-cycle the host of " + name
	if asked.Until != "" {
		title = "Switch the host of " + name + " off, and keep it off"
	}
	change := &Change{Name: Machine + "/" + name, Title: title, Shown: machine, seen: fmt.Sprint(machine.UID, "/", last)}
	if open != nil && open.Spec.OnTheirWord() {
		if err := p.otherwise(open, asked.Until); err != nil {
			return nil, err
		}
		change.Already = fmt.Sprintf("%s has asked for that already: mr/%s", open.Spec.RequestedBy.Asker(), open.Name)
		return change, nil
	}
	made := recordstore.New(cluster, last+1, p.rebootSpec(machine, asked))
	// Its Cluster says whose manager looks after it: Machines do not have that label.
	recordstore.Filter(made, cluster)
	change.Name = "mr/" + made.Name
	when, err := p.when(ctx, machine, cluster, host, made)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(records, func(r *v1alpha1.MachineRemediation) bool { return !ladder.Ended(r) && calledOff(r) }); i >= 0 {
		when = "After mr/" + records[i].Name + ", which is called off, has ended"
	}
	change.Lines = p.rebootLines(machine, when, open, made)
	change.write = func(ctx context.Context, dryRun bool) (client.Object, error) {
		return p.ask(ctx, made.DeepCopy(), dryRun)
	}
	return change, nil
}

// otherwise returns an error if what somebody has asked for leaves the host in another state than what a person asks for now.
func (p *Person) otherwise(open *v1alpha1.MachineRemediation, until v1alpha1.Step) error {
	if open.Spec.Steps[0].Until == until {
		return nil
	}
	first, end := "power-cycle the host", fmt.Sprintf("%s cancel mr/%s -n %s", p.Command, open.Name, open.Namespace)
	if ladder.SingleSteps(open) {
		first, end = "keep the host off", preview.PowerOn(open)+", or "+end
	}
	return Refusal(fmt.Sprintf("mr/%s is there to %s, as %s has asked, so nothing was written. End that first, which switches the host on: %s",
		open.Name, first, open.Spec.RequestedBy.Asker(), end))
}

// Refusal is the error of a command that what somebody else has asked for does not allow. It says what to do first.
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return string(r) }

// machine reads a machine and its Cluster.
func (p *Person) machine(ctx context.Context, namespace, name string) (*clusterv1.Machine, *clusterv1.Cluster, error) {
	machine, cluster := &clusterv1.Machine{}, &clusterv1.Cluster{}
	err := p.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, machine)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil, fmt.Errorf("there is no machine/%s in namespace %s", name, namespace)
	case err != nil:
		return nil, nil, fmt.Errorf("getting machine %s: %w", name, err)
	case !machine.DeletionTimestamp.IsZero():
		return nil, nil, fmt.Errorf("machine/%s is being deleted", name)
	}
	if err := p.Client.Get(ctx, mhcspec.ClusterOf(machine), cluster); err != nil {
		return nil, nil, fmt.Errorf("getting cluster %s of machine %s: %w", machine.Spec.ClusterName, name, err)
	}
	return machine, cluster, nil
}

// latest returns the highest ordinal of some records, and the open one that counts: what a person asked for, or else that of a health check. One that is
// called off does not: it only waits until the Node is back.
func latest(records []*v1alpha1.MachineRemediation) (ordinal int, open *v1alpha1.MachineRemediation) {
	for _, r := range records {
		ordinal = max(ordinal, recordstore.Ordinal(r))
		if !ladder.Ended(r) && !calledOff(r) && (open == nil || r.Spec.OnTheirWord()) {
			open = r
		}
	}
	return ordinal, open
}

// calledOff reports whether nobody wants any more what a person asked for.
func calledOff(r *v1alpha1.MachineRemediation) bool {
	decision, last := ladder.DecisionAbout(r), ladder.Last(&r.Status)
	switch {
	case !r.Spec.OnTheirWord():
		return false
	case !r.DeletionTimestamp.IsZero():
		return true
	case decision != nil:
		return decision.Answer == v1alpha1.AnswerCancel
	}
	return last != nil && last.Result == v1alpha1.ResultCancelled
}

func (p *Person) rebootSpec(machine *clusterv1.Machine, asked Asked) v1alpha1.MachineRemediationSpec {
	spec := v1alpha1.MachineRemediationSpec{
		ClusterName: machine.Spec.ClusterName,
		MachineRef:  v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name, UID: machine.UID},
		RequestedBy: &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: cmp.Or(fit(p.Name, maxBy), "somebody"), Reason: asked.Reason},
		Steps:       []v1alpha1.RemediationStep{{Name: "reboot", Action: v1alpha1.ActionReboot, Until: asked.Until, TimeoutSeconds: new(int32(RebootTime / time.Second))}},
	}
	if machine.Status.NodeRef.IsDefined() {
		spec.NodeRef = &v1alpha1.RemediationReference{Name: machine.Status.NodeRef.Name}
	}
	return spec
}

// rebootLines describe a power cycle, which begins when it says unless another record of the machine goes first.
func (p *Person) rebootLines(machine *clusterv1.Machine, when string, open, made *v1alpha1.MachineRemediation) []preview.Line {
	lines := []preview.Line{{Label: "Does", Text: rebootDoes(made.Spec.Steps[0].Until)}}
	switch {
	case open == nil, ladder.HasBegun(open) && !ladder.Before(open, made):
		// Nothing is in the way.
	case ladder.HasBegun(open):
		when = "After mr/" + open.Name + ", which is at work on the machine"
	default:
		lines = append(lines, preview.Line{Label: "Instead of", Text: "mr/" + open.Name + ", which has not begun"})
	}
	lines = append(lines, preview.Line{Label: "When", Text: when})
	if ladder.SingleSteps(made) {
		lines = append(lines, preview.Line{Label: "On again", Text: preview.PowerOn(made)})
	}
	if !machine.Status.NodeRef.IsDefined() {
		lines = append(lines, preview.Line{Label: "Node", Text: "none yet"})
	}
	lines = append(lines, preview.Line{Label: "By", Text: made.Spec.RequestedBy.Name})
	if reason := made.Spec.RequestedBy.Reason; reason != "" {
		lines = append(lines, preview.Line{Label: "Reason", Text: reason})
	}
	return lines
}

// rebootDoes says what a power cycle does.
func rebootDoes(until v1alpha1.Step) string {
	switch until {
	case v1alpha1.StepPowerOff:
		return "Switches the host off, proves that it is off, and keeps it off"
	case v1alpha1.StepDelete:
		return "Switches the host off, proves that it is off, takes its Node out of service, and keeps the host off"
	default:
		return "Switches the host off, proves that it is off, takes its Node out of service, and switches it on again: at most " + humanize.Span(RebootTime)
	}
}

// ask creates a record.
func (p *Person) ask(ctx context.Context, made *v1alpha1.MachineRemediation, dryRun bool) (client.Object, error) {
	options := []client.CreateOption{p.Writer}
	if dryRun {
		options = append(options, client.DryRunAll)
	}
	err := p.Client.Create(ctx, made, options...)
	if apierrors.IsAlreadyExists(err) {
		return nil, errors.New("mr/" + made.Name + " was made meanwhile, so nothing was written: try again")
	}
	return made, Explained(err)
}
