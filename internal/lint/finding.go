package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

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
)

// Finding is one problem.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Level is error or warning.
	Level Level `json:"level"`
	// Object is the kind and the name of the object.
	Object string `json:"object,omitempty"`
	// Field is the path of the field; empty if the finding is about the whole object.
	Field string `json:"field,omitempty"`
	// Message is a sentence.
	Message string `json:"message"`
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
			cmp.Compare(a.Level, b.Level), cmp.Compare(a.Field, b.Field))
	})
	all = slices.Compact(all)
	return slices.DeleteFunc(slices.Clone(all), func(f Finding) bool {
		return f.Level == Warning && slices.ContainsFunc(all, func(other Finding) bool {
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
}

// find makes a finding about a field of the checked object.
func (p place) find(level Level, field, message string) Finding {
	f := Finding{File: p.obj.File, Line: p.obj.Node.Line, Level: level, Object: p.obj.Title(), Field: field, Message: message}
	key, value := manifest.At(p.node, field)
	if was := cmp.Or(p.moved[key], p.moved[value]); was != "" && p.moved != nil {
		f.Field = was
	}
	if old := oldNames[field]; old != "" && p.moved != nil && !there(p.node, field) {
		f.Field = old
	}
	for _, n := range []*yaml.Node{key, value} {
		if n.Line > 0 {
			f.Line = n.Line
			break
		}
	}
	return f
}

// oldNames maps current fields to their place in older health checks, for messages about missing fields.
var oldNames = map[string]string{
	"spec.checks":    "spec.unhealthyConditions",
	fieldTriggerIf:   "spec.maxUnhealthy",
	fieldStartup:     "spec.nodeStartupTimeout",
	fieldTemplate:    "spec.remediationTemplate",
	fieldRemediation: "spec.remediationTemplate",
}

// there reports whether a field exists.
func there(n *yaml.Node, field string) bool {
	for part := range strings.SplitSeq(field, ".") {
		if n = manifest.Get(n, part); n == nil {
			return false
		}
	}
	return true
}
