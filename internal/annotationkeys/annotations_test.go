package annotationkeys

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReference: the list has the annotations that the reference explains, on the same kinds and with the same
// writers.
func TestReference(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string][]Annotation{}
	for line := range strings.SplitSeq(string(page), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 6 || !strings.Contains(cells[1], "`"+Prefix) {
			continue
		}
		name := strings.Trim(strings.TrimSpace(cells[1]), "`")
		for kind := range strings.SplitSeq(strings.TrimSpace(cells[2]), ", ") {
			kind = strings.TrimSuffix(kind, " of OpenShift")
			if one := (Annotation{name, writer(cells[3])}); On(kind) != nil && !slices.Contains(explained[kind], one) {
				explained[kind] = append(explained[kind], one)
			}
		}
	}
	for _, kind := range []string{HealthCheck, Machine, Cluster} {
		want, got := slices.Clone(explained[kind]), slices.Clone(On(kind))
		for _, list := range [][]Annotation{want, got} {
			slices.SortFunc(list, func(a, b Annotation) int { return strings.Compare(a.Key, b.Key) })
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("on a %s (-explained +known):\n%s", kind, diff)
		}
	}
}

// writer returns who sets an annotation, by the reference.
func writer(text string) Writer {
	you, us := strings.Contains(text, "you"), strings.Contains(text, "Sickbay")
	switch {
	case you && us:
		return Either
	case us:
		return Sickbay
	}
	return Person
}

func TestUnknown(t *testing.T) {
	for name, want := range map[string]bool{
		"sickbay.dev/max-in-flight": false, "sickbay.dev/max-in-fligth": true, "sickbay.dev/upgrades-handled": false, "sickbay.dev/": true,
		"other.sickbay.dev/x": false, "example.dev/x": false, "sickbay.dev/allow-quorum-loss": true,
	} {
		if got := Unknown(HealthCheck, name); got != want {
			t.Errorf("Unknown(%q) is %t", name, got)
		}
	}
	if len(On("Node")) > 0 || len(ForPeople("Node")) > 0 {
		t.Error("there are annotations for kinds that Sickbay does not know")
	}
}
