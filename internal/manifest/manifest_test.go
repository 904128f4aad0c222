package manifest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParse: the documents joined are the stream, and know their lines in the file.
func TestParse(t *testing.T) {
	const stream = "%YAML 1.1\n# first\n---\napiVersion: v1\nkind: A\nmetadata:\n  name: a\n  namespace: default\n--- # second\nkind: List\nitems:\n- kind: B\n- kind: C\n  metadata: {name: c}\n---\nkind: D\r\n"
	documents, problems := Parse("f.yaml", []byte(stream))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var texts string
	var got []string
	for _, document := range documents {
		texts += document.Text
		for _, obj := range document.Objects {
			got = append(got, strings.Join([]string{obj.Title(), obj.Namespace(), obj.Within, obj.Kind().Kind}, "|"))
			if at := strings.Split(stream, "\n")[obj.Node.Line-1]; !strings.Contains(at, "apiVersion") && !strings.Contains(at, "kind") {
				t.Errorf("%s is said to be in the line %q", obj.Title(), at)
			}
		}
	}
	if texts != stream {
		t.Errorf("the documents are %q", texts)
	}
	want := []string{"A a|default||A", "B||items[0]|B", "C c||items[1]|C", "D|||D"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSyntaxErrors: the error gives the line of a document that is not YAML, and the other documents are
// read.
func TestSyntaxErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		line int
		want string
	}{
		"a list that does not end": {"kind: A\n---\na: [b\n", 3, "did not find expected ',' or ']'"},
		"a line too far left":      {"a:\n  b: 1\n c: 2\nd: 3\n", 3, "did not find expected key"},
		"two values":               {"a: b: c\n", 1, "mapping values are not allowed in this context"},
		"two values, below":        {"a: 1\n---\nb: 1\na: b: c\n", 4, "mapping values are not allowed in this context"},
		"a tab":                    {"a:\n\tb: 1\n", 2, "found character that cannot start any token"},
		"a text":                   {"kind: A\n---\nhello\n", 3, "it is not an object of the API"},
		"two documents in one":     {"a: 1\n...\nb: 1\n", 1, "a document must begin with a line ---"},
		"an endless alias":         {"a: &a [*a]\n", 1, "more than 100000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Parse("f.yaml", []byte(tt.text))
			if len(problems) != 1 || problems[0].Line != tt.line || !strings.Contains(tt.text, problems[0].Text()) || !strings.Contains(problems[0].Message, tt.want) {
				t.Errorf("got %v, want line %d: %s", problems, tt.line, tt.want)
			}
		})
	}
}

// TestManyAliases: a few lines that expand to millions of values are rejected quickly.
func TestManyAliases(t *testing.T) {
	text := "a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
	for c := 'b'; c < 'k'; c++ {
		before := "*" + string(c-1)
		text += string(c) + ": &" + string(c) + " [" + strings.Repeat(before+", ", 8) + before + "]\n"
	}
	if _, problems := Parse("f.yaml", []byte(text)); len(problems) != 1 {
		t.Errorf("got %v", problems)
	}
}

func TestAt(t *testing.T) {
	documents, _ := Parse("f.yaml", []byte("a:\n  b.c/d: 1\n  e:\n  - f: 1\n  - g: &g 2\n  h: *g\n"))
	root := documents[0].Objects[0].Node
	for path, line := range map[string]int{
		"a": 1, "a[b.c/d]": 2, "a.e": 3, "a.e[1].g": 5, "a.e[1].missing": 5, "a.e[7]": 3, "a.h": 6, "missing": 1, "": 1, "a..e": 3, "[": 1,
	} {
		key, _, found := At(root, path)
		if there := !strings.Contains(path, "missing") && path != "a.e[7]" && path != "["; key.Line != line || found != there {
			t.Errorf("%q is in line %d (%t), want %d (%t)", path, key.Line, found, line, there)
		}
	}
}

func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"all/b.yaml", "all/a.yml", "all/c.txt", "all/below/d.json", "none/x", "chart/Chart.yaml", "chart/values.yaml", "chart/templates/values.yaml"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(recursive bool, names ...string) (got []string, err error) {
		files, err := Read(names, recursive, strings.NewReader("standard input"))
		for _, file := range files {
			got = append(got, file.Name+"="+string(file.Data))
		}
		return got, err
	}
	got, err := read(false, "all/c.txt", "all", "-")
	want := []string{"all/c.txt=all/c.txt", "all/a.yml=all/a.yml", "all/b.yaml=all/b.yaml", "<stdin>=standard input"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := read(true, "chart"); err != nil || len(got) != 1 {
		t.Errorf("read %v, %v", got, err)
	}
	if _, err := read(false, "chart"); err == nil || !strings.Contains(err.Error(), "-R reads them") {
		t.Errorf("the error is %v", err)
	}
	if got, err := read(true, "all"); err != nil || len(got) != 3 {
		t.Errorf("read %v, %v", got, err)
	}
	for _, name := range []string{"gone", "none", ""} {
		if _, err := read(false, name); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	if _, err := Read([]string{"-"}, false, failing{}); err == nil {
		t.Error("a standard input that fails is read")
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.Join(io.ErrUnexpectedEOF) }
