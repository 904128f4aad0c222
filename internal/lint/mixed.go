package lint

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// separate is what to do about a shared limit.
const separate = "; give the control plane a check of its own"

// mixed finds one limit for control plane and workers: what is few of all machines may be most of the control plane.
func (l *linter) mixed(c *check) {
	most, bounded := admission.GateBound(&c.mhc)
	if c.embedded || oneAtATime(c) || bounded && atMostOne(c, most) {
		return
	}
	of := l.sized(c)
	n, planes := len(of.machines), controlPlanes(of.machines)
	switch both := min(planes, n-planes) > 0; {
	case both && !bounded:
		l.add(c.find(Warning, fieldSelector, fmt.Sprintf("it selects %s, without a limit", counted(planes, n))+separate))
	case both && most(n) > 1:
		l.add(c.find(Warning, fieldSelector, fmt.Sprintf("it selects %s under one limit: up to %d may be repaired at once, even if %s",
			counted(planes, n), most(n), ofThem(min(planes, most(n))))+separate))
	case !both && (n == 0 || of.where == ofFiles):
		l.mayBeMixed(c, bounded)
	}
}

// atMostOne reports whether a limit allows one machine at most, or cannot be read.
func atMostOne(c *check, most func(int) int) bool { return !valid(c) || most(mhcspec.MaxCount) < 2 }

// mayBeMixed judges by the selector alone: the files need not have all machines that there will be.
func (l *linter) mayBeMixed(c *check, bounded bool) {
	limit := ", without a limit"
	if bounded {
		limit = " under one limit, which may allow most of the control plane at once"
	}
	if admitsBoth(c) {
		l.add(c.find(Warning, fieldSelector, "it selects control plane and workers"+limit+separate))
	}
}

func ofThem(n int) string {
	if n == 1 {
		return "1 of them is a control-plane Machine"
	}
	return fmt.Sprintf("%d of them are control-plane Machines", n)
}

// controlPlanes counts the machines of the control plane.
func controlPlanes(machines []*clusterv1.Machine) (n int) {
	for _, machine := range machines {
		if _, ok := machine.Labels[clusterv1.MachineControlPlaneLabel]; ok {
			n++
		}
	}
	return n
}

func counted(planes, all int) string {
	return humanize.Count(planes, "control-plane Machine", "control-plane Machines") + " and " + humanize.Count(all-planes, "worker", "workers")
}

// oneAtATime reports whether at most one machine is repaired at a time, or none.
func oneAtATime(c *check) bool {
	config, _ := mhcspec.ParseConfig(&c.mhc, c.template)
	return config.OnlyReports() || config.MaxInFlight != nil && config.MaxInFlight.Type == intstr.Int && config.MaxInFlight.IntValue() <= 1
}

// label is what the value of a label can be. Without values, it can be any but those ruled out.
type label struct {
	values, not []string
	// own reports that each machine has a value of its own.
	own bool
}

// role are the labels that the machines of a role have, and others may not have. A label that is in no role is unknown.
type role map[string]label

// roles are the control plane and the workers in a dialect, by the API group of its health checks.
var roles = map[string][]role{
	clusterv1.GroupVersion.Group: {{
		clusterv1.ClusterNameLabel:             {},
		clusterv1.ClusterTopologyOwnedLabel:    {values: []string{""}},
		clusterv1.MachineControlPlaneLabel:     {values: []string{""}},
		clusterv1.MachineControlPlaneNameLabel: {},
	}, {
		clusterv1.ClusterNameLabel:                          {},
		clusterv1.ClusterTopologyOwnedLabel:                 {values: []string{""}},
		clusterv1.ClusterTopologyMachineDeploymentNameLabel: {},
		clusterv1.ClusterTopologyMachinePoolNameLabel:       {},
		clusterv1.MachineDeploymentNameLabel:                {},
		clusterv1.MachineDeploymentUniqueLabel:              {},
		clusterv1.MachineSetNameLabel:                       {},
		clusterv1.MachinePoolNameLabel:                      {},
	}},
	"machine.openshift.io": {{
		"machine.openshift.io/cluster-api-cluster":      {},
		"machine.openshift.io/cluster-api-machine-role": {values: []string{"master"}},
		"machine.openshift.io/cluster-api-machine-type": {values: []string{"master"}},
	}, {
		"machine.openshift.io/cluster-api-cluster":      {},
		"machine.openshift.io/cluster-api-machine-role": {not: []string{"master"}},
		"machine.openshift.io/cluster-api-machine-type": {not: []string{"master"}},
		"machine.openshift.io/cluster-api-machineset":   {},
	}},
	"remediation.medik8s.io": {{
		"node-role.kubernetes.io/control-plane": {values: []string{""}},
		"node-role.kubernetes.io/master":        {values: []string{""}},
		"kubernetes.io/os":                      {values: []string{"linux"}},
		"kubernetes.io/arch":                    {},
		"kubernetes.io/hostname":                {own: true},
		corev1.LabelTopologyZone:                {},
		corev1.LabelTopologyRegion:              {},
	}, {
		"node-role.kubernetes.io/worker": {},
		"kubernetes.io/os":               {},
		"kubernetes.io/arch":             {},
		"kubernetes.io/hostname":         {own: true},
		corev1.LabelTopologyZone:         {},
		corev1.LabelTopologyRegion:       {},
	}},
}

// admitsBoth reports whether the selector of a check, as written, admits machines of the control plane and workers. A label that nobody knows
// is taken for that of one pool.
func admitsBoth(c *check) bool {
	compiled, err := metav1.LabelSelectorAsSelector(&c.mhc.Spec.Selector)
	if err != nil {
		return false
	}
	required, _ := compiled.Requirements()
	both := roles[c.obj.Kind().Group]
	return len(both) == 2 && !slices.ContainsFunc(required, func(r labels.Requirement) bool {
		if selects := slices.Contains([]selection.Operator{selection.In, selection.Equals, selection.Exists}, r.Operator()); selects && !both[0].has(r) && !both[1].has(r) {
			return true
		}
		return !both[0].admits(r) || !both[1].admits(r)
	})
}

func (r role) has(required labels.Requirement) bool { _, ok := r[required.Key()]; return ok }

// admits reports whether machines of a role can meet a requirement.
func (r role) admits(required labels.Requirement) bool {
	label, ok := r[required.Key()]
	values := required.ValuesUnsorted()
	switch required.Operator() {
	case selection.Exists:
		return ok
	case selection.DoesNotExist:
		return !ok
	case selection.NotIn:
		return len(label.values) == 0 || slices.ContainsFunc(label.values, func(one string) bool { return !slices.Contains(values, one) })
	default:
		return ok && !label.own && slices.ContainsFunc(values, func(one string) bool {
			return !slices.Contains(label.not, one) && (len(label.values) == 0 || slices.Contains(label.values, one))
		})
	}
}
