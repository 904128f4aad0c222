package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// APIVersion is that of findings as programs read them.
const APIVersion = "lint.sickbay.dev/v1"

// Level says how bad a finding is.
type Level string

// The levels.
const (
	// Error is what an API server or Sickbay refuses.
	Error Level = "error"
	// Warning is what they take, and what is dangerous.
	Warning Level = "warning"
)

// Finding is one thing that is wrong.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Level is error or warning.
	Level Level `json:"level"`
	// Object is the kind and the name of what it is about.
	Object string `json:"object,omitempty"`
	// Field is the path of the field; empty if it is about all of the object.
	Field string `json:"field,omitempty"`
	// Message is a sentence.
	Message string `json:"message"`
}

// String prints a finding as compilers do.
func (f Finding) String() string {
	field := ""
	if f.Field != "" {
		field = f.Field + ": "
	}
	return fmt.Sprintf("%s:%d: %s: %s%s", f.File, f.Line, f.Level, field, f.Message)
}

// sorted brings findings into the order of files and lines, and says each but once. Of a field that is refused nobody has to know
// that it is dangerous, too.
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

// place is where the fields of an object stand.
type place struct {
	obj manifest.Object
	// node is the object as it is judged; that of obj, or what it was converted to.
	node *yaml.Node
	// moved are the fields in which converted values stood before.
	moved map[*yaml.Node]string
}

// find makes a finding about a field of the object as it is judged.
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

// oldNames are where the fields of today are in older health checks, for what is said about those that are not there.
var oldNames = map[string]string{
	"spec.checks":    "spec.unhealthyConditions",
	fieldTriggerIf:   "spec.maxUnhealthy",
	fieldStartup:     "spec.nodeStartupTimeout",
	fieldTemplate:    "spec.remediationTemplate",
	fieldRemediation: "spec.remediationTemplate",
}

// there reports whether a field is there.
func there(n *yaml.Node, field string) bool {
	for part := range strings.SplitSeq(field, ".") {
		if n = manifest.Get(n, part); n == nil {
			return false
		}
	}
	return true
}
