package lint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// sameMeaning are the names that dialects and versions have for the same thing.
var sameMeaning = [][]string{
	{"timeoutSeconds", "timeout", "duration", "unhealthyTimeoutSeconds"},
	{"unhealthyNodeConditions", "unhealthyConditions"},
	{"nodeStartupTimeoutSeconds", "nodeStartupTimeout"},
	{"unhealthyLessThanOrEqualTo", "maxUnhealthy"},
	{"unhealthyInRange", "unhealthyRange"},
	{"templateRef", "remediationTemplate"},
	{"healthCheck", "machineHealthCheck"},
	{"enabled", "enable"},
	{"apiVersion", "apiGroup"},
}

// hints know how to correct the fields of an object that its API does not have.
type hints struct {
	schema *structuralschema.Structural
	// moved are the fields that convert writes elsewhere, and where.
	moved map[string]string
	// today reports whether the object has the version that convert writes.
	today bool
	// target is the schema of what convert writes.
	target *structuralschema.Structural
	// others are the kinds of other dialects.
	others []schema.GroupVersionKind
}

// explained adds to each problem how to fix it, if that is known. It omits a missing field if it was only misnamed.
func (h hints) explained(problems []problem) (explained []problem) {
	meant := map[string]bool{}
	for i, one := range problems {
		if one.message == unknownField {
			hint, instead := h.of(one.field)
			problems[i].message += hint
			meant[instead] = true
		}
	}
	for _, one := range problems {
		// A mapping that has only unknown fields counts as empty.
		empty := strings.Contains(one.message, "should have at least 1 properties") && slices.ContainsFunc(problems, func(other problem) bool {
			return strings.HasPrefix(other.message, unknownField) && strings.HasPrefix(other.field, one.field+".")
		})
		if !empty && (one.message != missing || !meant[one.field]) {
			explained = append(explained, one)
		}
	}
	return explained
}

// of returns what to do about a field that the API does not have, and the field that was meant.
func (h hints) of(path string) (hint, instead string) {
	parent, name := split(path)
	siblings := slices.Sorted(maps.Keys(below(h.schema, parent)))
	alias, near := aliasOf(name, siblings), humanize.Nearest(name, siblings)
	to := h.moved[path]
	moves := hasField(h.target, to)
	switch {
	case moves && (h.today || alias == "") && to != path:
		to = from(parent, to)
		return "; it is " + to + " today, and sickbay convert writes it so", whole(parent, to)
	case alias != "":
		return "; here it is " + alias, parent + alias
	case moves:
		return "; " + clusterv1.GroupVersion.Version + " has it, and sickbay convert writes that version", path
	case name == "namespace" && strings.HasSuffix(parent, "templateRef."):
		return "; a template is looked for in the namespace of its object", path
	case near != "":
		return "; perhaps " + near + " is meant", parent + near
	}
	return h.belongs(name), path
}

// from returns a field by its name alone if it is beside others, or else by its path. The items of a list have other numbers where convert leaves
// some of them out.
func from(parent, path string) string {
	before, name := split(path)
	if items.ReplaceAllString(before, "") == items.ReplaceAllString(parent, "") {
		return name
	}
	return path
}

// items matches the number of an item of a list.
var items = regexp.MustCompile(`\[\d+\]`)

// whole returns the path of a field that from has returned.
func whole(parent, field string) string {
	if strings.Contains(field, ".") {
		return field
	}
	return parent + field
}

// split splits a path into a name, and the path before it.
func split(path string) (parent, name string) {
	dot := strings.LastIndex(path, ".")
	return path[:dot+1], path[dot+1:]
}

// belongs says where a field belongs that is of no use where it is, under this name or another one; empty if that is not known.
func (h hints) belongs(name string) string {
	spec := h.schema.Properties["spec"]
	if places := elsewhere(spec, "spec", name); len(places) > 0 {
		return "; it belongs in " + strings.Join(places, " or ")
	}
	for _, same := range sameMeaning {
		for _, alias := range same {
			if places := elsewhere(spec, "spec", alias); slices.Contains(same, name) && len(places) > 0 {
				return "; it is " + alias + ", in " + strings.Join(places, " or ")
			}
		}
	}
	for _, other := range h.others {
		if all, _ := schemas(); all[other] != nil {
			if _, ok := all[other].Properties["spec"].Properties[name]; ok {
				return "; " + other.Kind + "s of " + other.Group + " have it"
			}
		}
	}
	return ""
}

// aliasOf returns which of some names has the same meaning as a name; empty if none has.
func aliasOf(name string, names []string) string {
	for _, same := range sameMeaning {
		if slices.Contains(same, name) {
			for _, alias := range same {
				if slices.Contains(names, alias) {
					return alias
				}
			}
		}
	}
	return ""
}

// below returns the fields of a mapping, by the mapping's path.
func below(at *structuralschema.Structural, path string) map[string]structuralschema.Structural {
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		if property, ok := at.Properties[part]; ok {
			at = &property
		} else if at.Items != nil {
			at = at.Items
		} else {
			return nil
		}
	}
	return at.Properties
}

// hasField reports whether a schema has a field.
func hasField(schema *structuralschema.Structural, path string) bool {
	if schema == nil || path == "" {
		return false
	}
	dot := strings.LastIndex(path, ".")
	_, ok := below(schema, path[:max(dot, 0)])[path[dot+1:]]
	return ok
}

// elsewhere returns the mappings below a place that have a field of a name.
func elsewhere(at structuralschema.Structural, path, name string) (places []string) {
	if at.Items != nil {
		return elsewhere(*at.Items, path+"[]", name)
	}
	for _, field := range slices.Sorted(maps.Keys(at.Properties)) {
		if field == name {
			places = append(places, path)
			continue
		}
		places = append(places, elsewhere(at.Properties[field], path+"."+field, name)...)
	}
	return places
}

// hintsFor returns the hints for an object. It names what convert does with it only if convert writes it.
func (l *linter) hintsFor(at place, v *validator) hints {
	h := hints{schema: v.structural, moved: map[string]string{}, today: at.obj.Kind().GroupVersion() == clusterv1.GroupVersion}
	if convert.Known(at.obj.Kind()) {
		h.others = dialects(at.obj.Kind().Group)
	}
	if at.obj.Kind().Group != clusterv1.GroupVersion.Group || !l.writes(at.obj) {
		return h
	}
	target, err := l.validators.get(clusterv1.GroupVersion.WithKind(at.obj.Kind().Kind))
	if err != nil {
		return h
	}
	h.target = target.structural
	converted := convert.Object(at.obj, convert.Options{})
	for _, node := range converted.Nodes {
		moves(node, "", converted.Paths, h.moved)
	}
	return h
}

// dialects returns the health checks of other groups.
func dialects(but string) (kinds []schema.GroupVersionKind) {
	all, _ := schemas()
	for kind := range all {
		if convert.Known(kind) && kind.Group != but {
			kinds = append(kinds, kind)
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return kinds
}

// writes reports whether convert would write an object differently.
func (l *linter) writes(obj manifest.Object) bool {
	if convert.Object(obj, convert.Options{}).Nodes == nil {
		return false
	}
	text, _ := convert.Document(l.document, convert.Options{})
	return text != l.document.Text
}

// moves collects the original paths of fields, and where they are now.
func moves(n *yaml.Node, path string, original map[*yaml.Node]string, moved map[string]string) {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		here := strings.TrimPrefix(path+"."+n.Content[i].Value, ".")
		if was := original[n.Content[i]]; was != "" {
			moved[was] = here
		}
		moves(n.Content[i+1], here, original, moved)
	}
	for i := 0; i < len(n.Content) && n.Kind == yaml.SequenceNode; i++ {
		moves(n.Content[i], fmt.Sprintf("%s[%d]", path, i), original, moved)
	}
}
