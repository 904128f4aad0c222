package convert

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

var update = flag.Bool("update", false, "write the golden files")

// stream converts all documents of a stream.
func stream(t testing.TB, file string, data []byte, o Options) (converted string, notes []Note) {
	t.Helper()
	documents, problems := manifest.Parse(file, data)
	for _, problem := range problems {
		t.Fatal(problem)
	}
	for _, document := range documents {
		text, some := Document(document, o)
		converted += text
		notes = append(notes, some...)
	}
	return converted, notes
}

var options = Options{Cluster: "blue", Namespace: "default"}

// TestGolden shows what becomes of each dialect, and what is said about it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("there is nothing to convert", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, notes := stream(t, filepath.Base(file), data, options)
			got += "\n===\n"
			for _, note := range notes {
				got += fmt.Sprintf("%s:%d lost=%t %s: %s\n", note.File, note.Line, note.Lost, note.Field, note.Message)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".golden", got)
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
