package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/annotationkeys"
	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// object determines what an object is, and validates it like an API server.
func (l *linter) object(obj manifest.Object) error {
	kind := obj.Kind()
	at := place{obj: obj, node: obj.Node}
	ours, err := ours(obj)
	if err != nil {
		return err
	}
	annotated := takesAnnotations(kind) && hasOurs(annotationsOf(obj.Value))
	if annotated && (!ours || kind.Kind == annotationkeys.Cluster) {
		l.annotationsOnly(at)
	}
	if ours || convert.Known(kind) {
		l.isTemplate(convert.Template(obj))
	}
	switch {
	case ours:
		return l.validate(at)
	case !annotated && !l.misnamed(at) && !l.hidden(at):
		l.skipped = append(l.skipped, obj)
	}
	return nil
}

// ours reports whether lint validates an object: of Clusters, only those with a topology.
func ours(obj manifest.Object) (bool, error) {
	known, err := known(obj.Kind())
	return known && (obj.Kind().Kind != annotationkeys.Cluster || fields(obj.Value["spec"])["topology"] != nil), err
}

// misnamed finds objects that were probably meant to be of a kind that lint knows.
func (l *linter) misnamed(at place) bool {
	kind := at.obj.Kind()
	if all := versions(kind.GroupKind()); len(all) > 0 && kind.Kind != annotationkeys.Cluster {
		l.wrongVersion(at, all)
		return true
	}
	near := humanize.Nearest(kind.Kind, healthChecks)
	switch {
	case near == "":
		return false
	case at.obj.Value["apiVersion"] == nil:
		l.add(at.find(Error, "apiVersion", missing))
	case near != kind.Kind:
		l.add(at.find(Warning, "kind", "lint does not know it; perhaps "+near+" is meant"))
	default:
		var groups []string
		for _, other := range dialects(kind.Group) {
			if other.Kind == near {
				groups = append(groups, other.GroupVersion().String())
			}
		}
		l.add(at.find(Warning, "apiVersion", fmt.Sprintf("lint does not know a %s of %s; perhaps that of %s is meant", near, kind.GroupVersion(), strings.Join(groups, " or "))))
	}
	return true
}

// hidden finds a health check in an object that lint does not know, as a mapping or as text.
func (l *linter) hidden(at place) bool {
	n, kind := hiddenIn(at.obj.Node)
	if n != nil {
		found := at.find(Warning, "", "it holds a "+kind+", which lint does not read there; give lint that one by itself")
		found.Line = n.Line
		l.add(found)
	}
	return n != nil
}

func hiddenIn(n *yaml.Node) (*yaml.Node, string) {
	if kind := manifest.Get(n, "kind"); kind != nil && manifest.Get(n, "apiVersion") != nil && manifest.Get(n, "spec") != nil && slices.Contains(healthChecks, kind.Value) {
		return n, kind.Value
	}
	for _, child := range n.Content {
		if found, kind := hiddenIn(child); found != nil {
			return found, kind
		}
	}
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "\n") {
		for _, found := range kindIn.FindAllStringSubmatch(n.Value, -1) {
			if slices.Contains(healthChecks, found[1]) {
				return n, found[1]
			}
		}
	}
	return nil, ""
}

// validate validates an object like an API server, and reads it.
func (l *linter) validate(at place) error {
	obj := at.obj
	l.places = append(l.places, at)
	for _, key := range manifest.Duplicates(obj.Node) {
		l.add(Finding{File: obj.File, Line: key.Line, Level: Error, Object: obj.Title(), Field: key.Value, Message: "it is there twice"})
	}
	v, err := l.validators.get(obj.Kind())
	if err != nil {
		return err
	}
	l.metadata(at)
	for _, problem := range l.hintsFor(at, v).explained(v.refuses(obj.Value)) {
		l.add(at.find(Error, problem.field, withUnit(obj, problem)))
	}
	l.read(at)
	return nil
}

// kindIn matches the kinds in a text.
var kindIn = regexp.MustCompile(`(?m)(?:^[-\s]*|[{,]\s*)["']?kind["']?:\s*["']?([^\s"',}]+)`)

// mayConcern reports whether a text that nobody can read yet may become something that lint checks: it names such a kind, or none, or has one
// filled in.
func mayConcern(text string) bool {
	all := kindIn.FindAllStringSubmatch(text, -1)
	return len(all) == 0 || strings.Contains(text, annotationkeys.Prefix) || slices.ContainsFunc(all, func(found []string) bool {
		kind := found[1]
		return strings.ContainsAny(kind, "{$") || slices.Contains(healthChecks, kind) || kind == "ClusterClass" || kind == annotationkeys.Cluster && strings.Contains(text, "topology:")
	})
}

// isTemplate reports whether something is a template, and says so once for each file.
func (l *linter) isTemplate(t *manifest.Template) bool {
	if t != nil && !slices.ContainsFunc(l.found, func(one Finding) bool { return one.Template && one.File == t.File }) {
		l.add(Finding{File: t.File, Line: t.Line, Level: Warning, Template: true, Message: t.Message("lint")})
	}
	return t != nil
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
		l.parts(at.obj)
		return
	}
	c := check{place: at, spec: fields(at.obj.Value["spec"]), foreign: at.obj.Kind().Group != clusterv1.GroupVersion.Group}
	converted := convert.Object(at.obj, convert.Options{Cluster: anyCluster(at.obj), Namespace: at.obj.Namespace(), Unrendered: true})
	if converted.Nodes == nil {
		if at.obj.Kind().GroupVersion() == clusterv1.GroupVersion && decode(at.obj.Value, &c.mhc) == nil {
			l.checks = append(l.checks, c)
		} else if c.obj.Kind().Kind == "NodeHealthCheck" {
			l.nodeHealthCheck(&c)
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

// asWritten removes the dry-run that a conversion adds if it cannot express something, and restores the selector of other dialects.
func (c *check) asWritten() {
	if _, ok := fields(fields(c.obj.Value["metadata"])["annotations"])[mhcspec.DryRunAnnotation]; !ok {
		delete(c.mhc.Annotations, mhcspec.DryRunAnnotation)
	}
	c.turned = c.spec["minHealthy"] != nil && c.mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo == nil
	var selector metav1.LabelSelector
	if c.foreign && decode(fields(c.spec["selector"]), &selector) == nil {
		c.mhc.Spec.Selector = selector
	}
}

// anyCluster is for dialects that name no cluster: the findings do not depend on it.
func anyCluster(obj manifest.Object) string {
	if obj.Kind().Group == clusterv1.GroupVersion.Group {
		return ""
	}
	return "cluster"
}
