package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/preview"
)

// decisionCommand is one of approve, deny, retry and cancel.
type decisionCommand struct {
	writing
	answer v1alpha1.Answer
	step   string
}

func newApprove() *cobra.Command {
	return newDecision(v1alpha1.AnswerApprove, &cobra.Command{
		Use:   "approve NAME",
		Short: "Approve the next step of a repair",
		Long:  "Approve the attempt that waits for a person's approval. The command shows the decision before it writes it.",
		Example: "  sickbay approve metal-3\n" +
			"  sickbay approve mr/metal-3-5f2c9d1e-1 --reason 'its data is safe'\n" +
			"  sickbay approve metal-3 --dry-run",
	})
}

func newDeny() *cobra.Command {
	return newDecision(v1alpha1.AnswerDeny, &cobra.Command{
		Use:     "deny NAME",
		Short:   "Deny the next step of a repair",
		Long:    "Deny the attempt that waits for a person's approval. After that Sickbay leaves the machine alone until somebody\nretries it, or the machine becomes healthy or is gone.",
		Example: "  sickbay deny metal-3 --reason 'the rack is being rewired'",
	})
}

func newRetry() *cobra.Command {
	return newDecision(v1alpha1.AnswerRetry, &cobra.Command{
		Use:   "retry NAME",
		Short: "Restart a step of a repair, with new attempts",
		Long:  "Restart a step of a repair, with new attempts, the first of them approved. Without --from, it is the step that was\ntried last. The gate, the slots and pauses apply as to any other attempt.",
		Example: "  sickbay retry metal-3\n" +
			"  sickbay retry metal-3 --from reboot --reason 'the firmware is fixed'",
	})
}

func newCancel() *cobra.Command {
	return newDecision(v1alpha1.AnswerCancel, &cobra.Command{
		Use:     "cancel NAME",
		Short:   "Cancel a repair and withdraw its requests",
		Long:    "Cancel a repair, and withdraw the requests that nobody has begun to carry out. Sickbay then leaves the machine to\npeople, until somebody answers retry, or the machine recovers or is deleted. What a person has asked for ends instead: the host comes\non, and nobody can retry it.",
		Example: "  sickbay cancel metal-3\n  sickbay cancel metal-3 --yes --reason 'I am looking into it myself'",
	})
}

const decisionArgs = `

NAME is a machine under repair (metal-3, machine/metal-3) or a MachineRemediation (mr/metal-3-5f2c9d1e-1).

Exit codes: 0 the decision was written, or somebody had already made the same one; 1 there is nothing to decide, the API server
refused it, or you declined; 2 the input is invalid.`

func newDecision(answer v1alpha1.Answer, cmd *cobra.Command) *cobra.Command {
	d := &decisionCommand{answer: answer}
	cmd.Long += decisionArgs
	cmd.RunE = d.run
	cmd.ValidArgsFunction = completeWith(d.access.underRepair, kindMachine, kindRemediation)
	d.add(cmd, "Reason for the decision; stored with it.")
	if answer == v1alpha1.AnswerRetry {
		cmd.Flags().StringVar(&d.step, "from", "", "Name of the step to restart. Default: the one that was tried last.")
		complete(cmd, "from", d.access.completeSteps)
	}
	return cmd
}

func (d *decisionCommand) run(cmd *cobra.Command, args []string) error {
	t, err := oneTarget(args, kindMachine, kindRemediation)
	if err := d.validate(cmd, err); err != nil {
		return err
	}
	c, namespace, err := d.access.reach()
	if err != nil {
		return err
	}
	record, err := findRecord(cmd.Context(), c, namespace, t)
	if err != nil {
		return err
	}
	if err := preview.CheckStep(record, d.step); err != nil {
		return usageError{err}
	}
	change, err := d.access.person(cmd, c, record.Namespace, d.clock).Answer(cmd.Context(), record, preview.Asked{Answer: d.answer, Step: d.step, Reason: d.reason})
	return d.carryOut(cmd, change, err)
}

// indent is the column in which the text begins, after its label.
const indent = 11

// show prints a change in words.
func show(w io.Writer, title string, lines []preview.Line) {
	t := newText(w)
	fmt.Fprintln(w, t.painter.paint(bold, title))
	for _, line := range lines {
		t.row(line.Label, line.Text, indent)
	}
}
