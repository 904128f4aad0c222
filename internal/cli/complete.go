package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// completeTime is how long a shell waits for names before it gives up.
const completeTime = 2 * time.Second

// complete registers the completion of a flag's values.
func complete(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // The flag does not exist.
	}
}

// completeOne completes the one argument of a command with the names of live objects, as KIND/NAME, and for machines also as NAME.
// It offers nothing if it cannot read them.
func (a *access) completeOne(kinds ...string) cobra.CompletionFunc {
	return completeWith(a.names, kinds...)
}

// lists returns the names of all live objects of a kind, each with the description that a shell shows beside it.
type lists func(ctx context.Context, kind string) []string

func completeWith(names lists, kinds ...string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		var offers []string
		for _, kind := range kinds {
			if len(args) == 0 {
				offers = append(offers, names.offers(cmd.Context(), kind, typed)...)
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
}

// offers returns the names of a kind that begin with what was typed. Machines get their kind as a prefix only if one was typed.
func (l lists) offers(ctx context.Context, kind, typed string) []string {
	prefix := kind + "/"
	switch as, _, named := strings.Cut(typed, "/"); {
	case named && kindNames[as] == kind:
		prefix = as + "/"
	case named:
		return nil
	case kind == kindMachine:
		prefix = ""
	case !strings.HasPrefix(kind, typed):
		return nil
	}
	var offers []string
	for _, name := range l(ctx, kind) {
		if offer := prefix + name; strings.HasPrefix(offer, typed) {
			offers = append(offers, offer)
		}
	}
	return offers
}

// completeSteps completes the names of steps with those of the record that the argument names.
func (a *access) completeSteps(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var steps []string
	t, err := oneTarget(args, kindMachine, kindRemediation)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, r := range a.repairs(cmd.Context()) {
		if !t.means(&r) {
			continue
		}
		for _, step := range r.Spec.Steps {
			if strings.HasPrefix(step.Name, typed) {
				steps = append(steps, step.Name+"\t"+string(step.Action))
			}
		}
	}
	return steps, cobra.ShellCompDirectiveNoFileComp
}

// names returns all names of a kind; for MachineRemediations, only the open ones. Machines under repair come first.
func (a *access) names(ctx context.Context, kind string) []string {
	if kind == kindRemediation {
		return a.underRepair(ctx, kind)
	}
	var names []string
	known := map[string]bool{}
	if kind == kindMachine {
		names = a.underRepair(ctx, kind)
		for _, one := range names {
			name, _, _ := strings.Cut(one, "\t")
			known[name] = true
		}
	}
	for _, name := range a.listed(ctx, listedKinds[kind]) {
		if !known[name] {
			names = append(names, name)
		}
	}
	return names
}

// underRepair returns the names of the open MachineRemediations, or of their machines.
func (a *access) underRepair(ctx context.Context, kind string) []string {
	var names []string
	for _, r := range a.repairs(ctx) {
		name := r.Name
		if kind == kindMachine {
			name = r.Spec.MachineRef.Name
		}
		names = append(names, name+"\t"+brief(&r))
	}
	return names
}

// brief describes a record in a few words.
func brief(r *v1alpha1.MachineRemediation) string {
	if r.Status.Step == "" {
		return cmp.Or(string(r.Status.Phase), "new")
	}
	return string(r.Status.Phase) + ", step " + r.Status.Step
}

// repairs returns the open records.
func (a *access) repairs(ctx context.Context) []v1alpha1.MachineRemediation {
	var list v1alpha1.MachineRemediationList
	if !a.quickly(ctx, &list, client.HasLabels{v1alpha1.OpenLabel}) {
		return nil
	}
	return slices.DeleteFunc(list.Items, func(r v1alpha1.MachineRemediation) bool { return ladder.Ended(&r) })
}

// listedKinds are the kinds whose objects are all offered.
var listedKinds = map[string]schema.GroupVersionKind{
	kindMachine: clusterv1.GroupVersion.WithKind("Machine"), kindHealthCheck: clusterv1.GroupVersion.WithKind("MachineHealthCheck"), kindCluster: clusterv1.GroupVersion.WithKind("Cluster"), kindHost: metal3v1.GroupVersion.WithKind("BareMetalHost"),
}

// listed returns the names of all objects of a kind.
func (a *access) listed(ctx context.Context, kind schema.GroupVersionKind) []string {
	list := scaffold.MetadataListOf(kind)
	if !a.quickly(ctx, list) {
		return nil
	}
	names := make([]string, len(list.Items))
	for i := range list.Items {
		names[i] = list.Items[i].Name
	}
	return names
}

// quickly lists objects within completeTime, and reports whether that worked.
func (a *access) quickly(ctx context.Context, list client.ObjectList, options ...client.ListOption) bool {
	ctx, cancel := context.WithTimeout(ctx, completeTime)
	defer cancel()
	c, namespace, err := a.reach()
	if err != nil {
		return false
	}
	return c.List(ctx, list, append(options, client.InNamespace(namespace))...) == nil
}
