package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// holdCommand is hold or release.
type holdCommand struct {
	writing
	releases bool
	span     time.Duration
	until    string
}

const holdArgs = `

TARGET is machine/NAME, mhc/NAME (a MachineHealthCheck: all its machines) or cluster/NAME; NAME alone is a machine.

`

func newHold() *cobra.Command { return (&holdCommand{}).hold() }

func newRelease() *cobra.Command { return (&holdCommand{releases: true}).release() }

func (h *holdCommand) hold() *cobra.Command {
	cmd := h.command("Reason for the hold; stored with it and shown in messages.", &cobra.Command{
		Use:   "hold TARGET (--for DURATION | --until TIME)",
		Short: "Put repairs of a machine, a health check or a cluster on hold until a time",
		Long: "Put repairs of a machine, a health check or a cluster on hold until a time: a pause that ends by itself. Sickbay still judges the\n" +
			"machines, begins nothing new, and gives up the power cycles of its own steps. The command extends a hold, but never shortens it." + holdArgs +
			"Exit codes: 0 it is on hold until then or longer; 1 the API server refused it, or you declined; 2 the input is\ninvalid.",
		Example: "  sickbay hold metal-3 --for 2h --reason 'its disk is being replaced'\n" +
			"  sickbay hold mhc/workers --until 2026-11-23T08:00:00Z\n" +
			"  sickbay hold cluster/blue --for 45m --yes",
	})
	spanVar(cmd.Flags(), &h.span, "for", 0, "Duration of the hold, such as 45m, 2h or 3d.")
	cmd.Flags().StringVar(&h.until, "until", "", "End of the hold, such as 2026-11-23T08:00:00Z.")
	return cmd
}

func (h *holdCommand) release() *cobra.Command {
	return h.command("", &cobra.Command{
		Use:   "release TARGET",
		Short: "End the hold on a machine, a health check or a cluster",
		Long: "End the hold on a machine, a health check or a cluster, and print when it would have ended and why it was set." + holdArgs +
			"Exit codes: 0 it is not on hold; 1 the API server refused it, or you declined; 2 the input is invalid.",
		Example: "  sickbay release metal-3\n  sickbay release cluster/blue --yes",
	})
}

func (h *holdCommand) command(reason string, cmd *cobra.Command) *cobra.Command {
	cmd.RunE = h.run
	cmd.ValidArgsFunction = h.access.completeOne(kindMachine, kindHealthCheck, kindCluster)
	h.add(cmd, reason)
	return cmd
}

// holdUntil returns the end of the hold that the flags ask for; zero to release.
func (h *holdCommand) holdUntil() (time.Time, error) {
	now := h.clock.Now()
	switch {
	case h.releases:
		return time.Time{}, nil
	case h.span < 0:
		return time.Time{}, usageError{fmt.Errorf("--for is %s: it must be greater than 0", h.span)}
	case h.span == 0 && h.until == "":
		return time.Time{}, usageError{errors.New("give --for or --until")}
	case h.span != 0 && h.until != "":
		return time.Time{}, usageError{errors.New("give only one of --for and --until")}
	case h.until == "":
		return useractions.HoldUntil(now, h.span), nil
	}
	until, err := time.Parse(time.RFC3339, h.until)
	if err != nil {
		return time.Time{}, usageError{fmt.Errorf("--until is %q: it must be a time like 2006-01-02T15:04:05Z", h.until)}
	}
	if until.UTC().Year() > useractions.LastYear {
		return time.Time{}, usageError{fmt.Errorf("--until is %s: the year must be at most %d", h.until, useractions.LastYear)}
	}
	if !until.After(now) {
		return time.Time{}, usageError{fmt.Errorf("--until is %s: it must be in the future", h.until)}
	}
	return until.UTC(), nil
}

func (h *holdCommand) run(cmd *cobra.Command, args []string) error {
	t, err := oneTarget(args, kindMachine, kindHealthCheck, kindCluster)
	until, untilErr := h.holdUntil()
	if err := h.validate(cmd, err, untilErr); err != nil {
		return err
	}
	if t.kind == "" {
		t.kind = kindMachine
	}
	c, namespace, err := h.access.reach()
	if err != nil {
		return err
	}
	person, on := h.access.person(cmd, c, namespace, h.clock), useractions.Target{Kind: t.kind, Namespace: namespace, Name: t.name}
	var change *useractions.Change
	if h.releases {
		change, err = person.Release(cmd.Context(), on)
	} else {
		change, err = person.Hold(cmd.Context(), on, until, h.reason)
	}
	return h.carryOut(cmd, change, err)
}
