package manifest

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/sentence"
)

// FuzzParse: the documents joined are the stream, whatever it contains, and each error has its line.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "a: 1", "---\na: 1\n---\nb: 2\n...\n", "%YAML 1.1\n---\na\n", "a: [", "\t", "a: &a [*a]", "a: &a [1,2]\nb: [*a,*a,*a]", "kind: List\nitems: [{}, 3]",
		"kind: List\nitems: &x\n- {}\n", "\r\n---\r\n", "--- \n--- # c\n", "\x00", "\ufeffa: 1", "<<: {a: 1}", "? a\n: b", "!!binary x", "a: !!float x", "1: 2", "null", "~: ~",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		documents, problems := Parse("f", data)
		var all strings.Builder
		for _, document := range documents {
			all.WriteString(document.Text)
		}
		if all.String() != string(data) {
			t.Errorf("the documents are %q", all.String())
		}
		for _, problem := range problems {
			if problem.Line < 1 || problem.Line > strings.Count(string(data), "\n")+1 {
				t.Errorf("line %d of %q", problem.Line, data)
			}
			sentence.Clear(t, problem.Message, string(data))
		}
	})
}
