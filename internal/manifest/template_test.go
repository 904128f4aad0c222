package manifest

import (
	"os"
	"strings"
	"testing"
)

// TestTemplateOfASubchart: a chart that is part of another one is rendered with it, unless its directory only has that name.
func TestTemplateOfASubchart(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, chart := range []string{"whole", "whole/charts/part", "whole/charts/part/charts/piece", "charts/alone"} {
		if err := os.MkdirAll(chart, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(chart+"/Chart.yaml", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"whole/templates/a.yaml": "whole", "whole/charts/part/templates/a.yaml": "whole", "whole/charts/part/charts/piece/templates/b/a.yaml": "whole",
		"charts/alone/templates/a.yaml": "charts/alone", "elsewhere/charts/a/templates/a.yaml": "elsewhere/charts/a", "charts/templates/a.yaml": "charts",
	} {
		if got := (&Template{File: file, Sample: "{{ .x }}"}).command(); got != "helm template "+want {
			t.Errorf("%s: %s, want that of %s", file, got, want)
		}
	}
}

// TestTemplates: what a tool has to render first is recognized, with the command that does it; nothing else is.
func TestTemplates(t *testing.T) {
	for name, tt := range map[string]struct {
		file, text string
		line       int
		want       string
	}{
		"an action of Helm":       {"a/templates/b.yaml", "a: b\n{{- if .x }}\nc: d\n{{- end }}\n", 2, "it is a template, with {{- if .x }}: render it first: helm template a | sickbay lint -f -"},
		"in the chart itself":     {"templates/b.yaml", "a: {{ .x }}\n", 1, "helm template . |"},
		"nobody knows the chart":  {"<stdin>", "a: {{ .x }}\n", 1, "helm template CHART |"},
		"an action in quotes":     {"b.yaml", "a: x\nb: \"{{ .x }}\"\n", 2, "with {{ .x }}"},
		"an action over lines":    {"b.yaml", "a: {{ .x\n}}\n", 1, "with {{ .x:"},
		"a variable":              {"b.yaml", "a:\n- ${B}\n", 2, "with ${B}: render it first: clusterctl generate yaml --from b.yaml |"},
		"a default":               {"<stdin>", "a: ${B:=1}\n", 1, "clusterctl generate yaml --from FILE |"},
		"a variable in a mapping": {"b.yaml", "a: {b: ${C:=5m}}\n", 1, "with ${C:=5m}"},
		"a loop of Jinja":         {"b.yaml", "{% for p in pools %}\na: {{ p }}\n{% endfor %}\n", 1, "with {% for p in pools %}: render it first, and pass what comes out to sickbay lint -f -"},
		"a comment":               {"b.yaml", "# {{ .x }} ${B}\na: b\n", 0, ""},
		"a broken comment":        {"b.yaml", "# {{ .x }}\na: [b\n", 0, ""},
		"dollars":                 {"b.yaml", "a: $B $(c) ${} {}\n", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			documents, problems := Parse(tt.file, []byte(tt.text))
			var got *Template
			if len(problems) > 0 {
				got = problems[0].Template
			} else {
				got = TemplateIn(tt.file, documents[0].Root)
			}
			switch {
			case got == nil && tt.want == "":
			case got == nil || tt.want == "" || got.Line != tt.line || !strings.Contains(got.Message("lint"), tt.want):
				t.Errorf("got %+v, want line %d, %q", got, tt.line, tt.want)
			}
		})
	}
}
