package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/decision"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// holdKinds are what can be on hold.
var holdKinds = map[string]string{kindMachine: "Machine", kindHealthCheck: "MachineHealthCheck", kindCluster: "Cluster"}

// holdCommand is hold or release.
type holdCommand struct {
	access   access
	output   output
	confirm  confirm
	clock    clock.PassiveClock
	releases bool
	span     time.Duration
	until    string
	reason   string
}

const holdArgs = `

TARGET is machine/NAME, mhc/NAME (a MachineHealthCheck: all its machines) or cluster/NAME; a NAME alone is a machine's.

`

func newHold() *cobra.Command { return (&holdCommand{clock: clock.RealClock{}}).hold() }

func newRelease() *cobra.Command {
	return (&holdCommand{clock: clock.RealClock{}, releases: true}).release()
}

func (h *holdCommand) hold() *cobra.Command {
	cmd := h.command(&cobra.Command{
		Use:   "hold TARGET (--for DURATION | --until TIME)",
		Short: "Leave a machine, a health check or a cluster alone until a time",
		Long: "Leave a machine, a health check or a cluster alone until a time: a pause that ends by itself. The verdict on machines is\n" +
			"still given, nothing new is done to them, and a power cycle at work is given up. A hold is made longer, never shorter." + holdArgs +
			"Exit codes: 0 it is on hold until then, or longer already; 1 the API server refuses it, or you said no; 2 the input\ncannot be understood.",
		Example: "  sickbay hold metal-3 --for 2h --reason 'its disk is being replaced'\n" +
			"  sickbay hold mhc/workers --until 2026-11-23T08:00:00Z\n" +
			"  sickbay hold cluster/blue --for 45m --yes",
	})
	h.flags(cmd.Flags())
	return cmd
}

func (h *holdCommand) release() *cobra.Command {
	return h.command(&cobra.Command{
		Use:   "release TARGET",
		Short: "End the hold on a machine, a health check or a cluster",
		Long: "End the hold on a machine, a health check or a cluster, and say until when it was held and why." + holdArgs +
			"Exit codes: 0 it is not on hold any more, or was not; 1 the API server refuses it, or you said no; 2 the input cannot be\nunderstood.",
		Example: "  sickbay release metal-3\n  sickbay release cluster/blue --yes",
	})
}

func (h *holdCommand) command(cmd *cobra.Command) *cobra.Command {
	cmd.RunE = h.run
	cmd.ValidArgsFunction = h.access.completeOne(kindMachine, kindHealthCheck, kindCluster)
	fs := cmd.Flags()
	h.access.add(fs)
	h.output.add(fs, formName, formJSON, formYAML)
	h.confirm.add(fs)
	complete(cmd, "output", cobra.FixedCompletions([]string{formName, formJSON, formYAML}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (h *holdCommand) flags(fs *pflag.FlagSet) {
	fs.DurationVar(&h.span, "for", 0, "How long, as in 45m or 2h.")
	fs.StringVar(&h.until, "until", "", "Until when, as in 2026-11-23T08:00:00Z.")
	fs.StringVar(&h.reason, "reason", "", "Why; it is stored with the hold, and messages repeat it.")
}

// holdUntil is the time that the flags ask for.
func (h *holdCommand) holdUntil() (time.Time, error) {
	now := h.clock.Now()
	switch {
	case h.releases:
		return time.Time{}, nil
	case h.span < 0:
		return time.Time{}, usageError{fmt.Errorf("--for is %s: it must be above 0", h.span)}
	case (h.span == 0) == (h.until == ""):
		return time.Time{}, usageError{errors.New("it takes --for or --until, and not both: for how long, or until when")}
	case h.until == "":
		// The API server's clock may be a little behind: a second more never ends it too early.
		return now.Add(h.span + time.Second - 1).Truncate(time.Second).UTC(), nil
	}
	until, err := time.Parse(time.RFC3339, h.until)
	if err != nil {
		return time.Time{}, usageError{fmt.Errorf("--until is %q: it must be a time like 2006-01-02T15:04:05Z", h.until)}
	}
	if !until.After(now) {
		return time.Time{}, usageError{fmt.Errorf("--until is %s: that is over", h.until)}
	}
	return until.UTC(), nil
}

func (h *holdCommand) run(cmd *cobra.Command, args []string) error {
	t, err := oneTarget(args, kindMachine, kindHealthCheck, kindCluster)
	until, untilErr := h.holdUntil()
	if err := errors.Join(err, untilErr, h.output.validate(), h.confirm.validate(cmd.InOrStdin()), validReason(h.reason)); err != nil {
		return err
	}
	if t.kind == "" {
		t.kind = kindMachine
	}
	namespace, err := h.access.namespace()
	if err != nil {
		return err
	}
	c, err := h.access.client()
	if err != nil {
		return err
	}
	object, err := readMetadata(cmd.Context(), c, namespace, t)
	if err != nil {
		return err
	}
	proposal, err := h.propose(cmd.Context(), c, t, object, until)
	if err != nil {
		return err
	}
	if proposal.Already != "" {
		return h.output.written(cmd, object, proposal.Already)
	}
	show(h.output.talk(cmd), proposal.Title, proposal.Lines)
	write := func(dryRun bool) (client.Object, error) {
		return writeHold(cmd.Context(), c, t, object, proposal.Annotations, dryRun)
	}
	return h.confirm.carryOut(cmd, &h.output, t.String(), write)
}

func (h *holdCommand) propose(ctx context.Context, c client.Client, t target, object *metav1.PartialObjectMetadata, until time.Time) (decision.HoldProposal, error) {
	on := decision.Target{Name: t.String(), Object: object}
	open, err := openRecords(ctx, c, object.Namespace)
	switch {
	case apierrors.IsForbidden(err):
		on.OpenUnread = true
	case meta.IsNoMatchError(err):
		// Without Sickbay's kinds nothing is repaired.
	case err != nil:
		return decision.HoldProposal{}, err
	}
	on.Open = slices.DeleteFunc(open, func(r v1alpha1.MachineRemediation) bool { return !concerns(t, &r) })
	if h.releases {
		return decision.ProposeRelease(on, h.clock.Now()), nil
	}
	asked := decision.Hold{Until: until, Reason: h.reason, By: h.access.user(ctx, c)}
	return decision.ProposeHold(on, asked, h.clock.Now()), nil
}

// concerns reports whether a record is open for a machine of what is on hold.
func concerns(t target, r *v1alpha1.MachineRemediation) bool {
	if r.Status.CompletionTime != nil {
		return false
	}
	switch t.kind {
	case kindMachine:
		return r.Spec.MachineRef.Name == t.name
	case kindHealthCheck:
		return r.Spec.HealthCheckRef.Name == t.name
	}
	return r.Spec.ClusterName == t.name
}

// readMetadata reads an object as far as a hold needs it.
func readMetadata(ctx context.Context, c client.Client, namespace string, t target) (*metav1.PartialObjectMetadata, error) {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(clusterv1.GroupVersion.WithKind(holdKinds[t.kind]))
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: t.name}, object)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("there is no %s in namespace %s", t, namespace)
	}
	return object, err
}

// maxWrites is how often a hold is written anew on an object that others write to all the time.
const maxWrites = 10

// writeHold writes the annotations on the object that was shown, unless somebody has changed the hold on it since. What else
// changes there does not matter.
func writeHold(ctx context.Context, c client.Client, t target, shown *metav1.PartialObjectMetadata, values map[string]*string, dryRun bool) (client.Object, error) {
	latest := shown
	for range maxWrites {
		written, err := patchHold(ctx, c, latest, values, dryRun)
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return written, err
		}
		if latest, err = readMetadata(ctx, c, shown.Namespace, t); err != nil {
			return nil, err
		}
		if latest.UID != shown.UID || !sameHold(shown, latest) {
			return nil, fmt.Errorf("%s has changed since it was shown, so nothing was written: run the command again", t)
		}
	}
	return nil, fmt.Errorf("%s changes all the time, so nothing was written: run the command again", t)
}

func sameHold(a, b *metav1.PartialObjectMetadata) bool {
	for _, key := range []string{targets.HoldUntilAnnotation, targets.HoldReasonAnnotation} {
		was, had := a.Annotations[key]
		if is, has := b.Annotations[key]; is != was || has != had {
			return false
		}
	}
	return true
}

func patchHold(ctx context.Context, c client.Client, object *metav1.PartialObjectMetadata, values map[string]*string, dryRun bool) (*metav1.PartialObjectMetadata, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": object.UID, "resourceVersion": object.ResourceVersion, "annotations": values,
	}})
	if err != nil {
		return nil, fmt.Errorf("encoding the hold: %w", err)
	}
	written := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: object.Namespace, Name: object.Name}}
	written.SetGroupVersionKind(object.GroupVersionKind())
	err = c.Patch(ctx, written, client.RawPatch(types.MergePatchType, patch), patchOptions(dryRun)...)
	return written, err
}
