package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

// Fleet is the state of the management cluster.
type Fleet struct {
	Machines     []clusterv1.Machine
	HealthChecks []clusterv1.MachineHealthCheck
	Plans        []v1alpha1.MachineRemediationTemplate
	// Pools are the MachinePools. Not every provider makes Machines for them.
	Pools []clusterv1.MachinePool
	// Owners is what is known about the owners of Machines.
	Owners map[client.ObjectKey]silence.Facts
	// Kinds knows the kinds that are installed; nil if that was not read.
	Kinds meta.RESTMapper
	// Namespace is the namespace of objects that name none.
	Namespace string
}

// Namespaces returns the namespaces of the health checks and plans in some documents, without duplicates; otherwise is the
// namespace of those that name none.
func Namespaces(documents []*manifest.Document, otherwise string) (all []string) {
	for _, document := range documents {
		for _, obj := range document.Objects {
			if obj.Kind().Group == clusterv1.GroupVersion.Group && convert.Known(obj.Kind()) || obj.Kind().Kind == planKind {
				all = append(all, cmp.Or(obj.Namespace(), otherwise))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Result is the result of Check.
type Result struct {
	Findings []Finding
	// Skipped are the objects that lint does not check.
	Skipped []manifest.Object
	// Unchecked says what could not be checked, and why.
	Unchecked []string
	// Nothing reports that there is no object that lint checks.
	Nothing bool
}

// Check checks all objects in some documents. Invalid YAML is among the findings. Without a fleet it skips what needs one.
func Check(documents []*manifest.Document, bad []*manifest.SyntaxError, fleet *Fleet) (Result, error) {
	l := &linter{fleet: fleet, validators: compiled{}, members: map[*clusterv1.MachineHealthCheck][]*clusterv1.Machine{}}
	for _, one := range bad {
		if one.Template != nil && !mayConcern(one.Text()) {
			l.unchecked = append(l.unchecked, one.File+", which is a template without a health check")
		} else if !l.isTemplate(one.Template) {
			l.add(Finding{File: one.File, Line: one.Line, Level: Error, Message: one.Message})
		}
	}
	l.unchecked = slices.Compact(l.unchecked)
	var files []string
	for _, document := range documents {
		files = append(files, document.File)
		l.document = document
		for _, obj := range document.Objects {
			if err := l.object(obj); err != nil {
				return Result{}, err
			}
		}
	}
	l.twice()
	l.findPlans()
	l.findPools(documents)
	for i := range l.plans {
		if err := l.plan(&l.plans[i]); err != nil {
			return Result{}, err
		}
	}
	for i := range l.checks {
		l.check(&l.checks[i])
	}
	l.overlaps()
	l.uncheckedOffline()
	for _, one := range bad {
		files = append(files, one.File)
	}
	return Result{Findings: sorted(l.found, files), Skipped: l.skipped, Unchecked: l.unchecked, Nothing: len(l.places)+len(l.found) == 0}, nil
}

// linter is the state of one Check.
type linter struct {
	fleet      *Fleet
	validators compiled
	// document is the one whose objects are read.
	document *manifest.Document
	// members caches the Machines that a check selects.
	members map[*clusterv1.MachineHealthCheck][]*clusterv1.Machine
	checks  []check
	plans   []plan
	pools   []pool
	// topologied are the topologies of the Clusters in the files.
	topologied []topology
	places     []place
	found      []Finding
	skipped    []manifest.Object
	unchecked  []string
}

// check is a MachineHealthCheck of any dialect, converted to the current version.
type check struct {
	place
	mhc clusterv1.MachineHealthCheck
	// template is the plan that it names; nil if it names none or if the plan is not known.
	template *v1alpha1.MachineRemediationTemplate
	// foreign reports whether it selects other Machines than Cluster API's, which cannot be counted here.
	foreign bool
	// embedded reports whether it is part of a ClusterClass or a Cluster, which select for it.
	embedded bool
	// controlPlane, class, paced and sizes describe a part: whether it is that of the control plane, or else of which class of
	// MachineDeployments; whether something limits the repairs in flight, and how many machines it is for, if that is known.
	controlPlane, paced bool
	class               string
	sizes               []int
	// spec is the health check as written.
	spec map[string]any
	// turned reports whether it limits how many machines must be healthy by a number, which cannot be converted.
	turned bool
}

// planKind is the kind of plans.
const planKind = "MachineRemediationTemplate"

// healthChecks are the kinds of health checks and plans, in any dialect.
var healthChecks = []string{"MachineHealthCheck", "NodeHealthCheck", planKind}

// plan is a MachineRemediationTemplate.
type plan struct {
	place
	template v1alpha1.MachineRemediationTemplate
}

func (l *linter) add(found Finding) {
	if !found.unfilled {
		l.found = append(l.found, found)
	}
}

// twice finds objects with the same name.
func (l *linter) twice() {
	seen := map[string]place{}
	for _, at := range l.places {
		name := strings.Join([]string{at.obj.Kind().GroupKind().String(), at.obj.Namespace(), at.obj.Name()}, "/")
		if first, ok := seen[name]; ok && at.obj.Name() != "" {
			l.add(at.find(Error, "metadata.name", fmt.Sprintf("%s:%d has a %s of this name already", first.obj.File, first.obj.Node.Line, first.obj.Title())))
			continue
		}
		seen[name] = at
	}
}

// namespace returns the namespace that an object will be in.
func (l *linter) namespace(named string) string {
	if named == "" && l.fleet != nil {
		return l.fleet.Namespace
	}
	return named
}

func (l *linter) uncheckedOffline() {
	if l.fleet == nil && slices.ContainsFunc(l.plans, needsKinds) {
		l.unchecked = append(l.unchecked, "whether the kinds are installed that the steps of plans need (--live reads which are)")
	}
	if !slices.ContainsFunc(l.checks, func(c check) bool { return !c.embedded }) {
		return
	}
	if l.fleet == nil {
		l.unchecked = append(l.unchecked, "which Machines are selected: without --live, lint cannot find selectors that match nothing or overlap, and percentages that come to 0")
		return
	}
	for i := range l.checks {
		if c := &l.checks[i]; c.foreign {
			l.unchecked = append(l.unchecked, "what "+c.obj.Title()+" selects, as it does not select Machines of Cluster API")
		}
	}
}
