package charts_test

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestGeneratedReadme: README.md has a table of the values, with the comments in values.yaml.
func TestGeneratedReadme(t *testing.T) {
	data, err := os.ReadFile("sickbay/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("# Sickbay's chart\n\n[docs/install.md](../../docs/install.md) shows how to install it. These are its values; the table is made from the comments in `values.yaml`.\n\n" +
		"| value | default | |\n|---|---|---|\n")
	rows(t, &table, "", "", document.Content[0])
	same(t, "sickbay/README.md", table.String())
}

// rows writes one row for each value that is no group of values.
func rows(t *testing.T, table *strings.Builder, path, above string, group *yaml.Node) {
	t.Helper()
	said := above
	for i := 0; i < len(group.Content); i += 2 {
		key, value := group.Content[i], group.Content[i+1]
		name := strings.TrimPrefix(path+"."+key.Value, ".")
		if comment := sentence(key.HeadComment); comment != "" {
			said = comment
		}
		if value.Kind == yaml.MappingNode && len(value.Content) > 0 {
			rows(t, table, name, cmp.Or(sentence(key.HeadComment), above), value)
			continue
		}
		if said == "" {
			t.Errorf("value %s has no comment", name)
		}
		text := strings.ReplaceAll(said, "|", `\|`)
		if strings.HasSuffix(table.String(), "| "+text+" |\n") {
			text = "The same."
		}
		fmt.Fprintf(table, "| `%s` | `%s` | %s |\n", name, short(t, value), text)
	}
}

// sentence is a comment without its marks. What is apart from its value by an empty line is about the file.
func sentence(comment string) string {
	paragraphs := strings.Split(comment, "\n\n")
	var words []string
	for line := range strings.Lines(paragraphs[len(paragraphs)-1]) {
		words = append(words, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#")))
	}
	return strings.Join(words, " ")
}

// short is a value on one line.
func short(t *testing.T, value *yaml.Node) string {
	t.Helper()
	flow := *value
	flow.Style = yaml.FlowStyle
	if value.Kind == yaml.ScalarNode {
		flow.Style = value.Style
	}
	for _, inner := range flow.Content {
		inner.Style = yaml.FlowStyle
	}
	text, err := yaml.Marshal(&flow)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}
