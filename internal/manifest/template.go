package manifest

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Template is where a tool has to fill something in before a text is a manifest.
type Template struct {
	File string
	Line int
	// Sample is the first thing to fill in.
	Sample string

	// parameterized reports that it is part of a template of OpenShift.
	parameterized bool
}

// What Jinja controls, what Helm and Jinja fill in, and what clusterctl, Flux and OpenShift do.
var (
	control  = regexp.MustCompile(`\{%.*?(%\}|$)`)
	action   = regexp.MustCompile(`\{\{.*?(\}\}|$)`)
	variable = regexp.MustCompile(`\$\{[A-Za-z_#][^}]*\}`)
)

// Message says what to do about a template; then is the command that gets what is rendered.
func (t *Template) Message(then string) string {
	how := ": " + t.command() + " |"
	if strings.HasPrefix(t.Sample, "{%") {
		how = ", and pass what comes out to"
	}
	return "it is a template, with " + t.Sample + ": render it first" + how + " sickbay " + then + " -f -"
}

// command returns the command that renders the template.
func (t *Template) command() string {
	file := strings.Replace(t.File, "<stdin>", "FILE", 1)
	switch {
	case t.parameterized:
		return "oc process --local -o yaml -f " + file
	case !strings.HasPrefix(t.Sample, "{{"):
		return "clusterctl generate yaml --from " + file
	}
	parts := strings.Split(filepath.ToSlash(t.File), "/")
	for i, part := range slices.Backward(parts) {
		if part == "templates" {
			return "helm template " + chartOf(parts[:i])
		}
	}
	return "helm template CHART"
}

// chartOf returns the chart to render for the one in a directory: the one that it is a part of, whose values it gets.
func chartOf(parts []string) string {
	if n := len(parts) - 2; n >= 0 && parts[n] == "charts" {
		whole := chartOf(parts[:n])
		if _, err := os.Stat(filepath.Join(whole, "Chart.yaml")); err == nil {
			return whole
		}
	}
	return cmp.Or(strings.Join(parts, "/"), ".")
}

// template returns what has to be filled in before the text of a document can be read; nil if there is nothing.
func (d *Document) template() *Template {
	for i, line := range strings.Split(d.Text, "\n") {
		if t := templateIn(d.File, d.Line+i, line); t != nil && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			return t
		}
	}
	return nil
}

// TemplateIn returns what has to be filled in among the values of some nodes; nil if there is nothing.
func TemplateIn(file string, nodes ...*yaml.Node) *Template {
	for _, n := range nodes {
		if n == nil {
			continue
		}
		if t := templateIn(file, n.Line, n.Value); n.Kind == yaml.ScalarNode && t != nil {
			return t
		}
		if t := TemplateIn(file, n.Content...); t != nil {
			return t
		}
	}
	return nil
}

func templateIn(file string, line int, text string) *Template {
	for _, placeholder := range []*regexp.Regexp{control, action, variable} {
		if sample := placeholder.FindString(text); sample != "" {
			return &Template{File: file, Line: line, Sample: strings.TrimSpace(sample)}
		}
	}
	return nil
}
