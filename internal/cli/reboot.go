package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// rebootCommand is reboot.
type rebootCommand struct {
	writing
	until string
}

func newReboot() *cobra.Command {
	r := &rebootCommand{}
	cmd := &cobra.Command{
		Use:   "reboot NAME",
		Short: "Power-cycle the bare-metal host of a machine",
		Long: "Power-cycle the bare-metal host of a machine, sick or not. The command makes a MachineRemediation; the manager carries it out, as\n" +
			"any other power cycle: off and proven off, Node out of service, on again. It needs no slot, and no open gate, and it goes on\n" +
			"while the MachineHealthCheck is paused. It waits for the end of a hold, and of a pause of the machine or its cluster, while\n" +
			"a person keeps the host off, while another repair of the machine is under way, and while too few machines of a control plane\n" +
			"are up. sickbay cancel NAME takes it back.\n\n" +
			"With --until=PowerOff the host stays off; with --until=Delete its Node is taken out of service, too, once the host is off. It\n" +
			"comes on when you annotate the machine reboot.metal3.io/PowerOn=, or cancel.\n\n" +
			"NAME is a machine (metal-3, machine/metal-3).\n\n" +
			"Exit codes: 0 it is asked for, or somebody had asked already; 1 the machine has no BareMetalHost, the API server refused\nit, or you declined; 2 the input is invalid.",
		Example: "  sickbay reboot metal-3 --reason 'new firmware'\n  sickbay reboot metal-3 --dry-run",
		RunE:    r.run,
	}
	cmd.ValidArgsFunction = r.access.completeOne(kindMachine)
	r.add(cmd, "Reason for the power cycle; stored with it.")
	cmd.Flags().StringVar(&r.until, "until", "", "Last step: PowerOff or Delete. The host stays off afterwards.")
	complete(cmd, "until", cobra.FixedCompletions([]string{string(v1alpha1.StepPowerOff), string(v1alpha1.StepDelete)}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (r *rebootCommand) run(cmd *cobra.Command, args []string) error {
	t, err := oneTarget(args, kindMachine)
	if err := r.validate(cmd, err, validUntil(r.until)); err != nil {
		return err
	}
	c, namespace, err := r.access.reach()
	if err != nil {
		return err
	}
	change, err := r.access.person(cmd, c, namespace, r.clock).Reboot(cmd.Context(), namespace, t.name, useractions.Asked{Reason: r.reason, Until: v1alpha1.Step(r.until)})
	return r.carryOut(cmd, change, err)
}

// validUntil checks the last step of a power cycle.
func validUntil(step string) error {
	switch v1alpha1.Step(step) {
	case "", v1alpha1.StepPowerOff, v1alpha1.StepDelete:
		return nil
	default:
		return usageError{fmt.Errorf("--until is %q: it must be %s or %s", step, v1alpha1.StepPowerOff, v1alpha1.StepDelete)}
	}
}
