package cli

import (
	"cmp"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"
)

// rebootCommand is reboot.
type rebootCommand struct {
	access  access
	output  output
	confirm confirm
	clock   clock.PassiveClock
	reason  string
}

func newReboot() *cobra.Command {
	r := &rebootCommand{clock: clock.RealClock{}}
	cmd := &cobra.Command{
		Use:   "reboot NAME",
		Short: "Power-cycle the bare-metal host of a machine",
		Long: "Power-cycle the bare-metal host of a machine, sick or not. The command makes a MachineRemediation; the manager carries it out, as\n" +
			"any other power cycle: off and proven off, Node out of service, on again. It needs no slot, and no open gate, and it goes on\n" +
			"while the MachineHealthCheck is paused. It waits while a person keeps the host off, while another repair of the machine is\n" +
			"under way, and while too few machines of a control plane are up. sickbay cancel NAME takes it back.\n\n" +
			"NAME is a machine (metal-3, machine/metal-3).\n\n" +
			"Exit codes: 0 it is asked for, or somebody had asked already; 1 the API server refused it, or you declined; 2 the input is\ninvalid.",
		Example: "  sickbay reboot metal-3 --reason 'new firmware'\n  sickbay reboot metal-3 --dry-run",
		RunE:    r.run,
	}
	cmd.ValidArgsFunction = r.access.completeOne(kindMachine)
	fs := cmd.Flags()
	r.access.add(fs)
	r.output.add(fs, formName, formJSON, formYAML)
	r.confirm.add(fs)
	fs.StringVar(&r.reason, "reason", "", "Reason for the power cycle; stored with it.")
	complete(cmd, "output", cobra.FixedCompletions([]string{formName, formJSON, formYAML}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (r *rebootCommand) run(cmd *cobra.Command, args []string) error {
	t, err := oneTarget(args, kindMachine)
	if err := cmp.Or(err, r.output.validate(), validReason(r.reason), r.confirm.validate(cmd.InOrStdin())); err != nil {
		return err
	}
	c, namespace, err := r.access.reach()
	if err != nil {
		return err
	}
	change, err := r.access.person(cmd, c, namespace, r.clock).Reboot(cmd.Context(), namespace, t.name, r.reason)
	if err != nil {
		return err
	}
	return r.confirm.carryOut(cmd, &r.output, change)
}
