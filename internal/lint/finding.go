package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// APIVersion is the version of the machine-readable findings.
const APIVersion = "lint.sickbay.dev/v1"

// Level is the severity of a finding.
type Level string

// The levels.
const (
	// Error means that an API server or Sickbay rejects it.
	Error Level = "error"
	// Warning means that it is accepted, but dangerous.
	Warning Level = "warning"
	// Note means that it is as meant perhaps, and worth knowing.
	Note Level = "note"
)

// levels are the levels, the worst first.
var levels = []Level{Error, Warning, Note}

// Finding is one problem.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Level is error, warning or note.
	Level Level `json:"level"`
	// Object is the kind and the name of the object.
	Object string `json:"object,omitempty"`
	// Field is the path of the field; empty if the finding is about the whole object.
	Field string `json:"field,omitempty"`
	// Message is a sentence.
	Message string `json:"message"`
	// Template reports that it is a template, which has to be rendered before it can be checked.
	Template bool `json:"-"`
	// unfilled reports that it is about a value that a tool has to fill in, so nobody can know whether it is right.
	unfilled bool
}

// String prints a finding like a compiler.
func (f Finding) String() string {
	field := ""
	if f.Field != "" {
		field = f.Field + ": "
	}
	return fmt.Sprintf("%s:%d: %s: %s%s", f.File, f.Line, f.Level, field, f.Message)
}

// sorted sorts findings by file and line, and removes duplicates. It also removes warnings about a field that is rejected.
func sorted(all []Finding, files []string) []Finding {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(files, a.File), slices.Index(files, b.File)), cmp.Compare(a.Line, b.Line),
			cmp.Compare(slices.Index(levels, a.Level), slices.Index(levels, b.Level)), cmp.Compare(a.Field, b.Field))
	})
	all = slices.Compact(all)
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool {
		return f.Level != Error && slices.ContainsFunc(all, func(other Finding) bool {
			return other.Level == Error && other.File == f.File && other.Line == f.Line && other.Field == f.Field
		})
	})
}

// place locates the fields of an object.
type place struct {
	obj manifest.Object
	// node is the object that is checked: the node of obj, or what it was converted to.
	node *yaml.Node
	// moved are the original fields of converted values.
	moved map[*yaml.Node]string
	// within is the field of a health check that is part of the object; empty if the object is one itself.
	within string
}

// find makes a finding about a field of the checked object.
func (p place) find(level Level, field, message string) Finding {
	f := Finding{File: p.obj.File, Line: p.obj.Node.Line, Level: level, Object: p.obj.Title(), Message: message}
	key, value, found := manifest.At(p.node, field)
	f.Field = p.written(field, cmp.Or(p.moved[key], p.moved[value]), found)
	f.unfilled = (found || value.Kind == yaml.ScalarNode) && manifest.TemplateIn(f.File, value) != nil
	// What a conversion has made has no line.
	own, _, _ := manifest.At(p.obj.Node, f.Field)
	for _, n := range []*yaml.Node{key, value, own} {
		if n.Line > 0 {
			f.Line = n.Line
			break
		}
	}
	return f
}

// written returns the name that a field has in the object as written; was is the original field of the value, if it was moved.
func (p place) written(field, was string, found bool) string {
	older := p.obj.Kind().GroupVersion() != clusterv1.GroupVersion
	named := field
	if was != "" && (found || older) {
		named = was
	}
	// What a conversion has made was not written, either.
	if old := oldNames[field]; old != "" && older && (!found || was == "" && p.moved != nil) {
		named = old
	}
	if rest, ok := strings.CutPrefix(named, "spec."); ok && p.within != "" && !strings.HasPrefix(named, p.within) {
		return p.within + "." + rest
	}
	return named
}

// oldNames maps current fields to their place in older health checks, for messages about missing fields.
var oldNames = map[string]string{
	"spec.checks":    "spec.unhealthyConditions",
	fieldTriggerIf:   "spec.maxUnhealthy",
	fieldStartup:     "spec.nodeStartupTimeout",
	fieldTemplate:    "spec.remediationTemplate",
	fieldRemediation: "spec.remediationTemplate",
}
