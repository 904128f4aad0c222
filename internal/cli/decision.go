package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/decision"
	"github.com/sickbay-dev/sickbay/internal/remediation"
)

const (
	// fieldOwner is the name under which commands write.
	fieldOwner = "sickbay-cli"
	// maxBy and maxReason are what a decision takes, in characters.
	maxBy     = 253
	maxReason = 1024
)

// decisionCommand is one of approve, deny, retry and cancel.
type decisionCommand struct {
	access  access
	output  output
	confirm confirm
	clock   clock.PassiveClock
	answer  v1alpha1.Answer
	step    string
	reason  string
}

func newApprove() *cobra.Command {
	return newDecision(v1alpha1.AnswerApprove, &cobra.Command{
		Use:   "approve NAME",
		Short: "Let a repair do what it waits to be approved for",
		Long:  "Let the attempt act that waits for a person's approval. It is shown before it is written.",
		Example: "  sickbay approve metal-3\n" +
			"  sickbay approve mr/metal-3-5f2c9d1e-1 --reason 'its data is safe'\n" +
			"  sickbay approve metal-3 --dry-run",
	})
}

func newDeny() *cobra.Command {
	return newDecision(v1alpha1.AnswerDeny, &cobra.Command{
		Use:     "deny NAME",
		Short:   "Keep a repair from what it waits to be approved for",
		Long:    "Keep the attempt from acting that waits for a person's approval. The machine is then left to people, until somebody\nanswers retry, or it gets healthy or goes.",
		Example: "  sickbay deny metal-3 --reason 'the rack is being rewired'",
	})
}

func newRetry() *cobra.Command {
	return newDecision(v1alpha1.AnswerRetry, &cobra.Command{
		Use:   "retry NAME",
		Short: "Begin a step of a repair anew, with fresh attempts",
		Long:  "Begin a step of a repair anew, with fresh attempts, the first of them approved. Without --from, it is the step that was\ntried last. Gate, budget and pauses hold as for any other attempt.",
		Example: "  sickbay retry metal-3\n" +
			"  sickbay retry metal-3 --from reboot --reason 'the firmware is mended'",
	})
}

func newCancel() *cobra.Command {
	return newDecision(v1alpha1.AnswerCancel, &cobra.Command{
		Use:     "cancel NAME",
		Short:   "Stop a repair and take back what it asked for",
		Long:    "Stop a repair and take back what it asked for, as far as nobody has begun it. The machine is then left to people, until\nsomebody answers retry, or it gets healthy or goes.",
		Example: "  sickbay cancel metal-3\n  sickbay cancel metal-3 --yes --reason 'I look at it myself'",
	})
}

const decisionArgs = `

NAME is that of a machine under repair (metal-3, machine/metal-3), or of a MachineRemediation (mr/metal-3-5f2c9d1e-1).

Exit codes: 0 it is written, or somebody has decided the same already; 1 there is nothing to decide, the API server
refuses it, or you said no; 2 the input cannot be understood.`

func newDecision(answer v1alpha1.Answer, cmd *cobra.Command) *cobra.Command {
	d := &decisionCommand{answer: answer, clock: clock.RealClock{}}
	cmd.Long += decisionArgs
	cmd.RunE = d.run
	cmd.ValidArgsFunction = d.access.completeOne(kindMachine, kindRemediation)
	fs := cmd.Flags()
	d.access.add(fs)
	d.output.add(fs, formName, formJSON, formYAML)
	d.confirm.add(fs)
	fs.StringVar(&d.reason, "reason", "", "Why; it is stored with the decision.")
	if answer == v1alpha1.AnswerRetry {
		fs.StringVar(&d.step, "from", "", "Name of the step to begin with. Without it, the one that was tried last.")
		complete(cmd, "from", d.access.completeSteps)
	}
	complete(cmd, "output", cobra.FixedCompletions([]string{formName, formJSON, formYAML}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (d *decisionCommand) run(cmd *cobra.Command, args []string) error {
	t, err := oneTarget(args, kindMachine, kindRemediation)
	if err := errors.Join(err, d.output.validate(), d.confirm.validate(cmd.InOrStdin()), validReason(d.reason)); err != nil {
		return err
	}
	namespace, err := d.access.namespace()
	if err != nil {
		return err
	}
	c, err := d.access.client()
	if err != nil {
		return err
	}
	record, err := findRecord(cmd.Context(), c, namespace, t)
	if err != nil {
		return err
	}
	if err := decision.CheckStep(record, d.step); err != nil {
		return usageError{err}
	}
	return d.decide(cmd, c, record)
}

// decide shows what is to be written, and writes it.
func (d *decisionCommand) decide(cmd *cobra.Command, c client.Client, record *v1alpha1.MachineRemediation) error {
	seen, err := remediation.LookLive(cmd.Context(), c, d.clock, record)
	if err != nil {
		return err
	}
	view := decision.View{Facts: seen.Facts, MachineUnread: seen.MachineUnread, Unread: seen.Unread}
	proposal, err := decision.Propose(view, decision.Asked{
		Answer: d.answer, Step: d.step, By: fit(d.access.user(cmd.Context(), c), maxBy), Reason: d.reason, Command: cmd.Root().DisplayName(),
	}, d.clock.Now())
	if err != nil {
		return err
	}
	if proposal.Already != "" {
		return d.output.written(cmd, record, proposal.Already)
	}
	show(d.output.talk(cmd), proposal.Title, proposal.Lines)
	write := func(dryRun bool) (client.Object, error) { return d.write(cmd, c, record, proposal.Decision, dryRun) }
	return d.confirm.carryOut(cmd, &d.output, "mr/"+record.Name, write)
}

// write stores the decision, bound to the record as it was shown. What an earlier decision had goes.
func (d *decisionCommand) write(cmd *cobra.Command, c client.Client, shown *v1alpha1.MachineRemediation, decided v1alpha1.RemediationDecision, dryRun bool) (client.Object, error) {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": shown.UID, "resourceVersion": shown.ResourceVersion},
		"spec": map[string]any{"decision": map[string]any{
			"attempt": decided.Attempt, "answer": decided.Answer,
			"step": orNull(decided.Step), "by": orNull(decided.By), "reason": orNull(decided.Reason),
		}},
	})
	if err != nil {
		return nil, fmt.Errorf("encoding the decision: %w", err)
	}
	written := &v1alpha1.MachineRemediation{}
	written.Namespace, written.Name = shown.Namespace, shown.Name
	err = c.Patch(cmd.Context(), written, client.RawPatch(types.MergePatchType, patch), patchOptions(dryRun)...)
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("mr/%s is gone, so nothing was written", shown.Name)
	case !apierrors.IsConflict(err):
		return written, explained(err)
	}
	latest := &v1alpha1.MachineRemediation{}
	if err := c.Get(cmd.Context(), client.ObjectKeyFromObject(shown), latest); err != nil || latest.UID != shown.UID {
		return nil, fmt.Errorf("mr/%s has changed since it was shown, so nothing was written", shown.Name)
	}
	return nil, fmt.Errorf("mr/%s has changed since it was shown, so nothing was written: at attempt %d, %s", shown.Name, max(1, latest.Status.Attempt), decision.Is(latest))
}

// orNull takes a field away that is empty.
func orNull(value string) any {
	if value == "" {
		return nil
	}
	return value
}

func patchOptions(dryRun bool) []client.PatchOption {
	options := []client.PatchOption{client.FieldOwner(fieldOwner)}
	if dryRun {
		options = append(options, client.DryRunAll)
	}
	return options
}

func validReason(reason string) error {
	if n := utf8.RuneCountInString(reason); n > maxReason {
		return usageError{fmt.Errorf("--reason has %d characters: it must have at most %d", n, maxReason)}
	}
	return nil
}

// indent is where the text of what is to be written begins, beside its labels.
const indent = 11

// show prints what is to be written, in words.
func show(w io.Writer, title string, lines []decision.Line) {
	t := newText(w)
	fmt.Fprintln(w, t.painter.paint(bold, title))
	for _, line := range lines {
		t.row(line.Label, line.Text, indent)
	}
}
