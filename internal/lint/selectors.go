package lint

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/explain/selects"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// selected returns the Machines of a check; ok is false if they are not known.
func (l *linter) selected(c *check) (selected []*clusterv1.Machine, ok bool) {
	if l.fleet == nil || c.foreign || c.embedded {
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
	if key := contradiction(&c.mhc); key != "" {
		l.add(c.find(Warning, fieldSelector, fmt.Sprintf("what it says about %s contradicts itself: it can select nothing", key)))
		return
	}
	if selected, ok := l.selected(c); ok && len(selected) == 0 && (&mhcspec.Selectors{}).Problem(&c.mhc) == nil {
		text := fmt.Sprintf("it selects no Machine of cluster %s in namespace %s", c.mhc.Spec.ClusterName, l.namespace(c.mhc.Namespace))
		l.add(c.find(Warning, fieldSelector, text+l.astray(&c.mhc)))
	}
}

// astray says which labels keep a selector from selecting any Machine, and what is one letter away; empty if its cluster has no Machines there, or if
// those that it selects are only left alone.
func (l *linter) astray(mhc *clusterv1.MachineHealthCheck) string {
	selector, err := metav1.LabelSelectorAsSelector(&mhc.Spec.Selector)
	if err != nil {
		return ""
	}
	var all []map[string]string
	for i := range l.fleet.Machines {
		m := &l.fleet.Machines[i]
		if m.Namespace != l.namespace(mhc.Namespace) || m.Spec.ClusterName != mhc.Spec.ClusterName {
			continue
		}
		if selector.Matches(labels.Set(m.Labels)) {
			return ""
		}
		all = append(all, m.Labels)
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + selects.Nothing(&mhc.Spec.Selector, all)
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
		return r.Key() == clusterv1.ClusterNameLabel && (r.Operator() == selection.Exists || r.Values().Has(mhc.Spec.ClusterName) && r.Operator() != selection.NotIn)
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

// present reports whether a requirement wants a label to be there, and oneOf whether it names the values.
func present(r labels.Requirement) bool { return oneOf(r) || r.Operator() == selection.Exists }
func oneOf(r labels.Requirement) bool {
	return slices.Contains([]selection.Operator{selection.In, selection.Equals, selection.DoubleEquals}, r.Operator())
}

// selectorProblem says why the selector cannot be used. Other dialects allow an empty one, which selects everything.
func (c *check) selectorProblem() error {
	if c.foreign && emptySelector(c.obj.Value) {
		return nil
	}
	return (&mhcspec.Selectors{}).Problem(&c.mhc)
}

// operators are what an expression of a selector may have.
var operators = []string{"In", "NotIn", "Exists", "DoesNotExist"}

// expressions finds expressions of a selector that no API server takes, each at its own line, and reports whether there is one.
func (l *linter) expressions(c *check) (broken bool) {
	all := manifest.Get(manifest.Get(manifest.Get(c.obj.Node, "spec"), "selector"), "matchExpressions")
	for i := 0; all != nil && all.Kind == yaml.SequenceNode && i < len(all.Content); i++ {
		field, expression := fmt.Sprintf("%s.matchExpressions[%d]", fieldSelector, i), manifest.Resolve(all.Content[i])
		problem := convert.BrokenExpression(expression)
		broken = broken || problem != ""
		if problem == "" || l.refusedBelow(c, field) {
			continue
		}
		if operator := manifest.Get(expression, "operator"); operator != nil {
			if near := humanize.Nearest(operator.Value, operators); near != "" && near != operator.Value {
				problem += "; perhaps " + near + " is meant"
			}
		}
		l.add(place{obj: c.obj, node: c.obj.Node}.find(Error, field, problem))
	}
	return broken
}

// refusedBelow reports whether there is an error in a field already.
func (l *linter) refusedBelow(c *check, field string) bool {
	return slices.ContainsFunc(l.found, func(f Finding) bool {
		return f.Level == Error && f.File == c.obj.File && f.Object == c.obj.Title() && strings.HasPrefix(f.Field, field)
	})
}

// overlaps finds checks that select the same Machines.
func (l *linter) overlaps() {
	for i := range l.checks {
		c := &l.checks[i]
		if c.embedded || c.selectorProblem() != nil {
			continue
		}
		var found overlap
		for j := range l.checks[:i] {
			if other := &l.checks[j]; !other.embedded && other.obj.Kind().GroupKind() == c.obj.Kind().GroupKind() && other.selectorProblem() == nil {
				l.compare(&found, c, &other.mhc, fmt.Sprintf("%s:%d", other.obj.File, other.obj.Node.Line))
			}
		}
		for _, other := range l.elsewhere() {
			if !c.foreign && (&mhcspec.Selectors{}).Problem(other) == nil {
				l.compare(&found, c, other, "in the cluster")
			}
		}
		l.tell(c, found)
	}
}

// elsewhere returns the checks of the fleet that are not in the files.
func (l *linter) elsewhere() (all []*clusterv1.MachineHealthCheck) {
	for i := 0; l.fleet != nil && i < len(l.fleet.HealthChecks); i++ {
		other := &l.fleet.HealthChecks[i]
		if other.DeletionTimestamp.IsZero() && !slices.ContainsFunc(l.checks, func(one check) bool {
			return !one.foreign && !one.embedded && one.mhc.Name == other.Name && l.namespace(one.mhc.Namespace) == other.Namespace
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
		contradiction(one) != "" || contradiction(other) != "" {
		return
	}
	title := fmt.Sprintf("%s (%s)", other.Name, where)
	if both := l.both(one, other); !c.foreign && len(both) > 0 {
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
	level, what, belongs := Note, "Machine", "each judges by its own rules, and of those that find a Machine sick and may repair it, the oldest does"
	if c.foreign {
		level, belongs = Warning, "each repairs them, up to its own limit"
	}
	if c.obj.Kind().Kind == "NodeHealthCheck" {
		what = "Node"
	}
	if len(found.by) > 0 {
		slices.Sort(found.machines)
		all := slices.Compact(found.machines)
		l.add(c.find(level, fieldSelector, fmt.Sprintf("others select %d of its Machines as well (%s): %s; %s",
			len(all), names(all), names(found.by), belongs)))
	}
	if len(found.narrower) > 0 {
		l.add(c.find(level, fieldSelector, fmt.Sprintf("every %s that it selects is selected by others as well: %s; %s", what, names(found.narrower), belongs)))
	}
	if len(found.wider) > 0 {
		l.add(c.find(level, fieldSelector, fmt.Sprintf("it selects every %s of others: %s; %s", what, names(found.wider), belongs)))
	}
}

// within reports whether other selects everything that one selects: what meets the requirements of one meets those of other.
func within(one, other *clusterv1.MachineHealthCheck) bool {
	own := requirements(one)
	return !slices.ContainsFunc(requirements(other), func(r labels.Requirement) bool {
		return !slices.ContainsFunc(own, func(o labels.Requirement) bool { return implies(o, r) })
	})
}

// implies reports whether a label that meets one requirement always meets the other.
func implies(one, other labels.Requirement) bool {
	if one.Key() != other.Key() {
		return false
	}
	switch other.Operator() {
	case selection.Exists:
		return present(one)
	case selection.DoesNotExist:
		return one.Operator() == selection.DoesNotExist
	case selection.NotIn:
		return one.Operator() == selection.DoesNotExist || one.Operator() == selection.NotIn && one.Values().IsSuperset(other.Values()) ||
			oneOf(one) && len(one.Values().Intersection(other.Values())) == 0
	default:
		return oneOf(one) && other.Values().IsSuperset(one.Values())
	}
}
