package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/simulate"
)

type simulateFlags struct {
	lookFlags
	out         output
	files       files
	fails       []string
	until       time.Duration
	repairTakes time.Duration
	inVain      bool
	assume      []string
}

func newSimulate() *cobra.Command {
	f := simulateFlags{}
	cmd := &cobra.Command{
		Use:   "simulate [-f FILE]...",
		Short: "Simulate what a health check or a plan would do to the fleet before you apply it",
		Long: "Simulate the fleet with the controllers' own decisions: what MachineHealthChecks and MachineRemediationTemplates,\n" +
			"new or changed, would do from now until a given time if nothing else changes. Without a file, it uses those in the fleet.\n" +
			"It only reads, and needs no manager.\n\n" +
			"Exit code: 1 if anything would be repaired, 0 if not, 2 on an error.",
		Example: "  sickbay simulate -f mhc.yaml\n  sickbay simulate -f mhc.yaml -f plan.yaml --fail zone=eu-1b --until 4h\n" +
			"  sickbay simulate -n blue --fail 10% --in-vain\n  sickbay simulate -f mhc.yaml -o json | jq .summary",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := f.run(cmd)
			if err == nil || errors.Is(err, errNo) {
				return err
			}
			return usageError{err}
		},
	}
	fs := cmd.Flags()
	f.add(fs)
	f.out.add(fs, formWide, formJSON, formYAML)
	f.files.add(cmd)
	fs.StringArrayVar(&f.fails, "fail", nil, "Nodes to make not Ready now: zone=NAME (a failure domain), a percentage such as 10%, or machine/NAME; may be given several times.")
	spanVar(fs, &f.until, "until", 2*time.Hour, "How far to look ahead.")
	spanVar(fs, &f.repairTakes, "repair-takes", 10*time.Minute, "How long it takes until an action helps.")
	fs.BoolVar(&f.inVain, "in-vain", false, "Assume that no action helps: repairs=vain and replacements=nodeless.")
	fs.StringArrayVar(&f.assume, "assume", nil, "How the world reacts: "+strings.Join(simulate.Answers(), ", ")+"; may be given several times.")
	complete(cmd, "assume", cobra.FixedCompletions(simulate.Answers(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *simulateFlags) run(cmd *cobra.Command) error {
	o, err := f.play()
	if err != nil {
		return err
	}
	changes, err := f.changes(cmd)
	if err != nil {
		return err
	}
	if err := f.settle(&changes); err != nil {
		return err
	}
	result, err := f.simulate(cmd, changes, o)
	if err != nil {
		return err
	}
	if f.out.structured() {
		err = f.out.write(cmd.OutOrStdout(), result)
	} else {
		newText(cmd.OutOrStdout()).simulation(&result, f.out.form == formWide)
	}
	if err == nil && result.Summary.Repaired+result.Summary.UnderWay > 0 {
		return errNo
	}
	return err
}

// changes reads the changes in the files; without files, there are none.
func (f *simulateFlags) changes(cmd *cobra.Command) (simulate.Changes, error) {
	if len(f.files.names) == 0 {
		return simulate.Changes{}, nil
	}
	read, err := f.files.read(cmd)
	if err != nil {
		return simulate.Changes{}, err
	}
	return readChanges(read)
}

// play turns the flags into options of the simulation.
func (f *simulateFlags) play() (simulate.Options, error) {
	o := simulate.Options{For: f.until, RepairTakes: f.repairTakes}
	if f.inVain {
		o.World = simulate.InVain
	}
	switch {
	case f.until <= 0:
		return o, fmt.Errorf("--until is %s: it must be greater than 0", f.until)
	case f.repairTakes <= 0:
		return o, fmt.Errorf("--repair-takes is %s: it must be greater than 0", f.repairTakes)
	}
	for _, text := range f.assume {
		if err := o.World.Assume(text); err != nil {
			return o, fmt.Errorf("--assume %w", err)
		}
	}
	for _, text := range f.fails {
		fail, err := simulate.ParseFail(text)
		if err != nil {
			return o, fmt.Errorf("--fail %w", err)
		}
		o.Fails = append(o.Fails, fail)
	}
	return o, f.out.validate()
}

// settle sets the namespace to look at: from the flags, or else from the files. It also puts objects without a namespace into one.
func (f *simulateFlags) settle(changes *simulate.Changes) error {
	var objs []client.Object
	for _, mhc := range changes.Checks {
		objs = append(objs, mhc)
	}
	for _, plan := range changes.Plans {
		objs = append(objs, plan)
	}
	if err := f.lookAt(objs); err != nil {
		return err
	}
	own, err := f.own()
	if err != nil {
		return err
	}
	for _, obj := range objs {
		if obj.GetNamespace() == "" {
			obj.SetNamespace(own)
		}
	}
	return nil
}

// lookAt looks at the namespaces of the objects, unless a flag says which.
func (f *simulateFlags) lookAt(objs []client.Object) error {
	asked := f.overrides.Context.Namespace
	for _, obj := range objs {
		switch namespace := obj.GetNamespace(); {
		case namespace == "" || f.all || namespace == f.overrides.Context.Namespace:
		case asked != "":
			return fmt.Errorf("%s is in namespace %s, but --namespace is %s", obj.GetName(), namespace, asked)
		case f.overrides.Context.Namespace == "":
			f.overrides.Context.Namespace = namespace
		default:
			f.all, f.overrides.Context.Namespace = true, ""
		}
	}
	return nil
}

// simulate reads the fleet, and plays it forward.
func (f *simulateFlags) simulate(cmd *cobra.Command, changes simulate.Changes, o simulate.Options) (simulate.Result, error) {
	observer, namespace, shut, err := f.open(cmd)
	if err != nil {
		return simulate.Result{}, err
	}
	defer shut()
	ctx := cmd.Context()
	facts, err := observer.Look(ctx, namespace)
	if err != nil {
		return simulate.Result{}, err
	}
	if changes.Known, err = knownPlans(ctx, observer.Live, changes.Checks); err != nil {
		return simulate.Result{}, err
	}
	scene, err := simulate.Suppose(&facts, changes, observer.Policy)
	if err != nil {
		return simulate.Result{}, err
	}
	scene.ReadHealth(func(m *clusterv1.Machine, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) (verdict.Facts, error) {
		return observer.Health.CachedFacts(ctx, m, mhc, cluster)
	})
	scene.ReadOwners(observer.Owners(ctx, 0))
	return scene.Play(o)
}

// knownPlans returns the plans in the fleet that these health checks name.
func knownPlans(ctx context.Context, live client.Reader, checks []*clusterv1.MachineHealthCheck) ([]*v1alpha1.MachineRemediationTemplate, error) {
	var all []*v1alpha1.MachineRemediationTemplate
	for _, mhc := range checks {
		plan, err := mhcspec.PlanOf(ctx, live, mhc)
		if err != nil && !meta.IsNoMatchError(err) {
			return nil, err
		}
		if plan != nil {
			all = append(all, plan)
		}
	}
	return all, nil
}
