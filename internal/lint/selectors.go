package lint

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// selected returns the Machines of a check; ok is false if they are not known.
func (l *linter) selected(c *check) (selected []*clusterv1.Machine, ok bool) {
	if l.fleet == nil || c.foreign {
		return nil, false
	}
	return l.matching(&c.mhc), true
}

// matching returns the Machines of the fleet that a check selects. It computes them once.
func (l *linter) matching(mhc *clusterv1.MachineHealthCheck) []*clusterv1.Machine {
	if known, ok := l.members[mhc]; ok {
		return known
	}
	there := mhc.DeepCopy()
	there.Namespace = l.namespace(mhc.Namespace)
	var selectors mhcspec.Selectors
	var selected []*clusterv1.Machine
	for i := range l.fleet.Machines {
		if machine := &l.fleet.Machines[i]; selectors.Matches(there, machine) && mhcspec.IsTarget(machine) {
			selected = append(selected, machine)
		}
	}
	l.members[mhc] = selected
	return selected
}

// selects finds selectors that select nothing, or everything.
func (l *linter) selects(c *check) {
	if c.foreign && len(c.obj.Value) > 0 && emptySelector(c.obj.Value) {
		l.add(c.find(Warning, fieldSelector, "it is empty, so it selects everything, control planes, too"))
	}
	if key := contradiction(&c.mhc); key != "" {
		l.add(c.find(Warning, fieldSelector, fmt.Sprintf("what it says about %s contradicts itself: it can select nothing", key)))
		return
	}
	if selected, ok := l.selected(c); ok && len(selected) == 0 && (&mhcspec.Selectors{}).Problem(&c.mhc) == nil {
		l.add(c.find(Warning, fieldSelector, fmt.Sprintf("it selects no Machine of cluster %s in namespace %s", c.mhc.Spec.ClusterName, l.namespace(c.mhc.Namespace))))
	}
}

// emptySelector reports whether a selector has no requirement.
func emptySelector(value map[string]any) bool {
	selector := fields(fields(value["spec"])["selector"])
	expressions, _ := selector["matchExpressions"].([]any)
	return len(fields(selector["matchLabels"]))+len(expressions) == 0
}

// requirements returns the requirements of a selector, except the cluster label, which all its Machines have.
func requirements(mhc *clusterv1.MachineHealthCheck) labels.Requirements {
	selector, err := metav1.LabelSelectorAsSelector(&mhc.Spec.Selector)
	if err != nil {
		return nil
	}
	all, _ := selector.Requirements()
	return slices.DeleteFunc(all, func(r labels.Requirement) bool {
		return r.Key() == clusterv1.ClusterNameLabel && r.Values().Has(mhc.Spec.ClusterName) && r.Operator() != selection.NotIn
	})
}

// contradiction returns the first label that no Machine can have as the selector demands; empty if there is none.
func contradiction(mhc *clusterv1.MachineHealthCheck) string {
	all := requirements(mhc)
	for _, one := range all {
		for _, other := range all {
			if one.Key() == other.Key() && !together(one, other) {
				return one.Key()
			}
		}
	}
	return ""
}

// together reports whether a label can meet both requirements.
func together(a, b labels.Requirement) bool {
	present := func(r labels.Requirement) bool {
		return slices.Contains([]selection.Operator{selection.In, selection.Equals, selection.DoubleEquals, selection.Exists}, r.Operator())
	}
	oneOf := func(r labels.Requirement) bool { return present(r) && r.Operator() != selection.Exists }
	switch {
	case a.Operator() == selection.DoesNotExist:
		return !present(b)
	case oneOf(a) && oneOf(b):
		return len(a.Values().Intersection(b.Values())) > 0
	case oneOf(a) && b.Operator() == selection.NotIn:
		return len(a.Values().Difference(b.Values())) > 0
	}
	return true
}

// overlaps finds checks that select the same Machines.
func (l *linter) overlaps() {
	for i := range l.checks {
		c := &l.checks[i]
		if c.foreign || (&mhcspec.Selectors{}).Problem(&c.mhc) != nil {
			continue
		}
		var found overlap
		for j := range l.checks[:i] {
			if other := &l.checks[j]; !other.foreign {
				l.compare(&found, c, &other.mhc, fmt.Sprintf("%s:%d", other.obj.File, other.obj.Node.Line))
			}
		}
		for _, other := range l.elsewhere() {
			l.compare(&found, c, other, "in the cluster")
		}
		l.tell(c, found)
	}
}

// elsewhere returns the checks of the fleet that are not in the files.
func (l *linter) elsewhere() (all []*clusterv1.MachineHealthCheck) {
	for i := 0; l.fleet != nil && i < len(l.fleet.HealthChecks); i++ {
		other := &l.fleet.HealthChecks[i]
		if other.DeletionTimestamp.IsZero() && !slices.ContainsFunc(l.checks, func(one check) bool {
			return !one.foreign && one.mhc.Name == other.Name && l.namespace(one.mhc.Namespace) == other.Namespace
		}) {
			all = append(all, other)
		}
	}
	return all
}

// overlap is what a check has in common with other checks, which it lists by title.
type overlap struct {
	// machines are the existing Machines in common, and by the checks that also select them.
	machines, by []string
	// narrower are the checks that select at least as much as this one, and wider those that select at most as much,
	// whatever Machines exist.
	narrower, wider []string
}

func (l *linter) compare(found *overlap, c *check, other *clusterv1.MachineHealthCheck, where string) {
	one := &c.mhc
	if l.namespace(one.Namespace) != l.namespace(other.Namespace) || one.Spec.ClusterName != other.Spec.ClusterName || one.Name == other.Name ||
		contradiction(one) != "" || contradiction(other) != "" || (&mhcspec.Selectors{}).Problem(other) != nil {
		return
	}
	title := fmt.Sprintf("%s (%s)", other.Name, where)
	if both := l.both(one, other); len(both) > 0 {
		found.machines, found.by = append(found.machines, both...), append(found.by, title)
		return
	}
	switch {
	case within(one, other):
		found.narrower = append(found.narrower, title)
	case within(other, one):
		found.wider = append(found.wider, title)
	}
}

// both returns the Machines of the fleet that two checks select.
func (l *linter) both(one, other *clusterv1.MachineHealthCheck) (both []string) {
	if l.fleet == nil {
		return nil
	}
	others := map[*clusterv1.Machine]bool{}
	for _, machine := range l.matching(other) {
		others[machine] = true
	}
	for _, machine := range l.matching(one) {
		if others[machine] {
			both = append(both, machine.Name)
		}
	}
	return both
}

func (l *linter) tell(c *check, found overlap) {
	const belongs = "a Machine belongs to the oldest that selects it"
	if len(found.by) > 0 {
		slices.Sort(found.machines)
		all := slices.Compact(found.machines)
		l.add(c.find(Warning, fieldSelector, fmt.Sprintf("others select %d of its Machines as well (%s): %s; %s",
			len(all), names(all), names(found.by), belongs)))
	}
	if len(found.narrower) > 0 {
		l.add(c.find(Warning, fieldSelector, fmt.Sprintf("every Machine that it selects is selected by others as well: %s; %s", names(found.narrower), belongs)))
	}
	if len(found.wider) > 0 {
		l.add(c.find(Warning, fieldSelector, fmt.Sprintf("it selects every Machine of others: %s; %s", names(found.wider), belongs)))
	}
}

// within reports whether other selects everything that one selects: one has all requirements of other.
func within(one, other *clusterv1.MachineHealthCheck) bool {
	var own []string
	for _, r := range requirements(one) {
		own = append(own, r.String())
	}
	for _, r := range requirements(other) {
		if !slices.Contains(own, r.String()) {
			return false
		}
	}
	return true
}
