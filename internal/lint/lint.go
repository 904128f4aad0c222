package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Fleet is the state of the management cluster.
type Fleet struct {
	Machines     []clusterv1.Machine
	HealthChecks []clusterv1.MachineHealthCheck
	Plans        []v1alpha1.MachineRemediationTemplate
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
}

// Check checks all objects in some documents. Invalid YAML is among the findings. Without a fleet it skips what needs one.
func Check(documents []*manifest.Document, bad []*manifest.SyntaxError, fleet *Fleet) (Result, error) {
	l := &linter{fleet: fleet, validators: compiled{}, members: map[*clusterv1.MachineHealthCheck][]*clusterv1.Machine{}}
	for _, one := range bad {
		l.add(Finding{File: one.File, Line: one.Line, Level: Error, Message: one.Message})
	}
	var files []string
	for _, document := range documents {
		files = append(files, document.File)
		for _, obj := range document.Objects {
			if err := l.object(obj); err != nil {
				return Result{}, err
			}
		}
	}
	l.twice()
	l.findPlans()
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
	return Result{Findings: sorted(l.found, slices.Compact(files)), Skipped: l.skipped, Unchecked: l.unchecked}, nil
}

// linter is the state of one Check.
type linter struct {
	fleet      *Fleet
	validators compiled
	// members caches the Machines that a check selects.
	members   map[*clusterv1.MachineHealthCheck][]*clusterv1.Machine
	checks    []check
	plans     []plan
	places    []place
	found     []Finding
	skipped   []manifest.Object
	unchecked []string
}

// check is a MachineHealthCheck of any dialect, converted to the current version.
type check struct {
	place
	mhc clusterv1.MachineHealthCheck
	// template is the plan that it names; nil if it names none or if the plan is not known.
	template *v1alpha1.MachineRemediationTemplate
	// foreign reports whether it selects other Machines than Cluster API's, which cannot be counted here.
	foreign bool
	// turned reports whether it limits how many machines must be healthy, which may be a number that cannot be converted.
	turned bool
}

// planKind is the kind of plans.
const planKind = "MachineRemediationTemplate"

// plan is a MachineRemediationTemplate.
type plan struct {
	place
	template v1alpha1.MachineRemediationTemplate
}

func (l *linter) add(findings ...Finding) { l.found = append(l.found, findings...) }

// object determines what an object is, and validates it like an API server.
func (l *linter) object(obj manifest.Object) error {
	kind := obj.Kind()
	at := place{obj: obj, node: obj.Node}
	ours, err := known(kind)
	if err != nil {
		return err
	}
	if !ours && takesAnnotations(kind) && hasOurs(annotationsOf(obj.Value)) {
		l.annotationsOnly(at)
		return nil
	}
	if !ours {
		if all := versions(kind.GroupKind()); len(all) > 0 {
			l.wrongVersion(at, all)
			return nil
		}
		l.skipped = append(l.skipped, obj)
		return nil
	}
	l.places = append(l.places, at)
	for _, key := range manifest.Duplicates(obj.Node) {
		l.add(Finding{File: obj.File, Line: key.Line, Level: Error, Object: obj.Title(), Field: key.Value, Message: "it is there twice"})
	}
	v, err := l.validators.get(kind)
	if err != nil {
		return err
	}
	l.metadata(at)
	for _, problem := range v.refuses(obj.Value) {
		l.add(at.find(Error, problem.field, problem.message))
	}
	l.read(at)
	return nil
}

// read decodes an object as Sickbay does, if that is possible.
func (l *linter) read(at place) {
	if at.obj.Kind().Kind == planKind {
		p := plan{place: at}
		if decode(at.obj.Value, &p.template) == nil {
			l.plans = append(l.plans, p)
		}
		return
	}
	if !convert.Known(at.obj.Kind()) {
		return
	}
	c := check{place: at, foreign: at.obj.Kind().Group != clusterv1.GroupVersion.Group}
	converted := convert.Object(at.obj, convert.Options{Cluster: anyCluster(at.obj), Namespace: at.obj.Namespace()})
	if converted.Nodes == nil {
		if at.obj.Kind().GroupVersion() == clusterv1.GroupVersion && decode(at.obj.Value, &c.mhc) == nil {
			l.checks = append(l.checks, c)
		}
		return
	}
	c.moved = converted.Paths
	for _, node := range converted.Nodes {
		c.node = node
		if manifest.Get(node, "kind").Value == planKind {
			p := plan{place: c.place}
			if decodeNode(node, &p.template) == nil {
				c.template = &p.template
				l.plans = append(l.plans, p)
			}
		}
	}
	if decodeNode(c.node, &c.mhc) == nil {
		c.asWritten()
		l.checks = append(l.checks, c)
	}
}

// asWritten removes the dry-run that a conversion adds if it cannot express something.
func (c *check) asWritten() {
	if _, ok := fields(fields(c.obj.Value["metadata"])["annotations"])[mhcspec.DryRunAnnotation]; !ok {
		delete(c.mhc.Annotations, mhcspec.DryRunAnnotation)
	}
	_, c.turned = fields(c.obj.Value["spec"])["minHealthy"]
}

// anyCluster is for dialects that name no cluster: the findings do not depend on it.
func anyCluster(obj manifest.Object) string {
	if obj.Kind().Group == clusterv1.GroupVersion.Group {
		return ""
	}
	return "cluster"
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
	if len(l.checks) == 0 {
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
