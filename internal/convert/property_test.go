package convert

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// drawer draws lines of YAML.
type drawer struct {
	*rapid.T
	lines []string
}

func (d *drawer) line(depth int, text string) {
	if rapid.IntRange(0, 9).Draw(d.T, "comment") == 0 {
		text += " # comment " + rapid.StringMatching(`[a-z]{6}`).Draw(d.T, "words")
	}
	d.lines = append(d.lines, strings.Repeat("  ", depth)+text)
}

func (d *drawer) of(values ...string) string { return rapid.SampledFrom(values).Draw(d.T, "value") }

// maybe adds a field with one of the values, or none.
func (d *drawer) maybe(depth int, field string, values ...string) {
	if rapid.Bool().Draw(d.T, field) {
		d.line(depth, field+": "+d.of(values...))
	}
}

func (d *drawer) conditions(depth int, field, timeout string, types, timeouts []string) {
	d.line(depth, field+":")
	for range rapid.IntRange(1, 3).Draw(d.T, "conditions") {
		d.line(depth, "- type: "+d.of(types...))
		d.line(depth+1, "status: "+d.of(`"True"`, `"False"`, "Unknown"))
		d.line(depth+1, timeout+": "+d.of(timeouts...))
	}
}

func (d *drawer) selector(labels ...string) {
	d.line(1, "selector:")
	switch rapid.IntRange(0, 1).Draw(d.T, "selector") {
	case 0:
		d.line(2, "matchLabels:")
		d.line(3, d.of(labels...)+": "+d.of(`""`, "worker", "master", "x"))
	default:
		d.line(2, "matchExpressions:")
		for range rapid.IntRange(1, 3).Draw(d.T, "expressions") {
			d.line(2, "- key: "+d.of(labels...))
			operator := d.of("In", "NotIn", "Exists", "DoesNotExist")
			d.line(3, "operator: "+operator)
			if strings.HasSuffix(operator, "In") {
				d.line(3, "values: "+d.of("[worker]", "[worker, master]", "[x, z]"))
			}
		}
	}
}

func (d *drawer) reference(depth int, kinds ...string) {
	d.line(depth, "apiVersion: "+d.of("infrastructure.cluster.x-k8s.io/v1beta1", "self-node-remediation.medik8s.io/v1alpha1"))
	d.line(depth, "kind: "+d.of(kinds...))
	d.line(depth, "name: "+d.of("one", "two.three"))
	d.maybe(depth, "namespace", "default", "elsewhere")
}

var (
	durations = []string{"5m", "300s", "1h30m0s", "0s", "1500ms"}
	nodeTypes = []string{"Ready", "MemoryPressure", "example.com/DiskOk"}
	kinds     = []string{"Metal3RemediationTemplate", "SelfNodeRemediationTemplate", "MachineDeletionRemediationTemplate", "A-bTemplate"}
)

func (d *drawer) head(version, kind string) {
	d.line(0, "apiVersion: "+version)
	d.line(0, "kind: "+kind)
	d.line(0, "metadata:")
	d.line(1, "name: drawn")
	d.maybe(1, "creationTimestamp", "null", `"2026-01-01T00:00:00Z"`)
	d.line(0, "spec:")
}

func (d *drawer) clusterAPI() {
	d.head("cluster.x-k8s.io/v1beta1", "MachineHealthCheck")
	d.line(1, "clusterName: blue")
	d.selector("pool", "example.com/role")
	if rapid.Bool().Draw(d.T, "node conditions") {
		d.conditions(1, "unhealthyConditions", "timeout", nodeTypes, durations)
	}
	if rapid.Bool().Draw(d.T, "machine conditions") {
		d.conditions(1, "unhealthyMachineConditions", "timeout", []string{"NodeHealthy", "InfrastructureReady", "Ready", "OwnerRemediated"}, durations)
	}
	d.rest([]string{"3", "40%", "0%"}, []string{"10m", "0s"})
	d.maybe(1, "unhealthyRange", `"[1-3]"`)
}

func (d *drawer) draft() {
	d.head("cluster.x-k8s.io/v1beta2", "MachineHealthCheck")
	d.line(1, "clusterName: blue")
	d.selector("pool")
	d.line(1, "checks:")
	d.line(2, "nodeStartupTimeoutSeconds: 600")
	d.conditions(2, "unhealthyNodeConditions", "unhealthyTimeoutSeconds", nodeTypes, []string{"0", "300"})
	if rapid.Bool().Draw(d.T, "machine conditions") {
		d.conditions(2, "unhealthyMachineConditions", "unhealthyTimeoutSeconds", []string{"NodeHealthy", "Ready"}, []string{"300"})
	}
}

func (d *drawer) openShift() {
	d.head("machine.openshift.io/v1beta1", "MachineHealthCheck")
	if rapid.Bool().Draw(d.T, "selector") {
		d.selector(openShiftCluster, openShiftRole, openShiftSet, openShiftType, "machine.openshift.io/zone", "pool")
	} else {
		d.line(1, "selector: {}")
	}
	d.conditions(1, "unhealthyConditions", "timeout", nodeTypes, durations)
	d.rest([]string{"3", `"3"`, "40%"}, []string{"10m", `"0"`})
}

// rest draws the remaining fields of Cluster API and OpenShift.
func (d *drawer) rest(limits, startups []string) {
	d.maybe(1, "maxUnhealthy", limits...)
	d.maybe(1, "nodeStartupTimeout", startups...)
	if rapid.Bool().Draw(d.T, "template") {
		d.line(1, "remediationTemplate:")
		d.reference(2, kinds...)
	}
}

func (d *drawer) nodeHealthCheck() {
	d.head("remediation.medik8s.io/v1alpha1", "NodeHealthCheck")
	d.selector("node-role.kubernetes.io/worker", "node-role.kubernetes.io/control-plane", "node.cluster.x-k8s.io/pool", "kubernetes.io/os")
	if rapid.Bool().Draw(d.T, "conditions") {
		d.conditions(1, "unhealthyConditions", "duration", nodeTypes, durations)
	}
	d.line(1, d.of("minHealthy: 51%", "minHealthy: 2", `maxUnhealthy: "3"`, "maxUnhealthy: 40%", `minHealthy: "100%"`, "minHealthy: null", "maxUnhealthy: null"))
	d.maybe(1, "stormCooldownDuration", "5m")
	d.maybe(1, "healthyDelay", "90s", "-1s", "48h")
	d.maybe(1, "pauseRequests", "[a, b]", "[]")
	if rapid.Bool().Draw(d.T, "one template") {
		d.line(1, "remediationTemplate:")
		d.reference(2, kinds...)
		return
	}
	d.line(1, "escalatingRemediations:")
	for range rapid.IntRange(1, 4).Draw(d.T, "templates") {
		d.line(1, "- order: "+d.of("1", "2", "3"))
		d.line(2, "timeout: "+d.of("60s", "30m", "400h"))
		d.line(2, "remediationTemplate:")
		d.reference(3, kinds...)
	}
}

func draw(t *rapid.T) string {
	d := &drawer{T: t}
	rapid.SampledFrom([]func(){d.clusterAPI, d.draft, d.openShift, d.nodeHealthCheck}).Draw(t, "dialect")()
	return strings.Join(d.lines, "\n") + "\n"
}

var comments = regexp.MustCompile(`# comment [a-z]{6}`)

// TestComments: a field that moves keeps its comments.
func TestComments(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		drawn := draw(rt)
		converted, _ := stream(t, "drawn.yaml", []byte(drawn), options)
		for _, comment := range comments.FindAllString(drawn, -1) {
			if !strings.Contains(converted, comment) {
				rt.Fatalf("%q is gone from\n%s\nof\n%s", comment, converted, drawn)
			}
		}
	})
}

// TestTwice: a second conversion changes nothing.
func TestTwice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		drawn := draw(rt)
		once, _ := stream(t, "drawn.yaml", []byte(drawn), options)
		twice, notes := stream(t, "once.yaml", []byte(once), options)
		if once != twice || len(notes) > 0 {
			rt.Fatalf("said %v, made\n%s\nof\n%s", notes, twice, once)
		}
		if once == drawn {
			rt.Fatalf("nothing is converted of\n%s", drawn)
		}
	})
}

// TestWhateverIsThere: missing, duplicate or changed lines cause no panic, and a second conversion changes nothing.
func TestWhateverIsThere(t *testing.T) {
	var texts []string
	for _, text := range docs.Texts(t, "testdata/*.yaml") {
		texts = append(texts, text)
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := draw(rt)
		if rapid.Bool().Draw(rt, "file") {
			text = rapid.SampledFrom(texts).Draw(rt, "text")
		}
		if problem := holds(change(rt, text)); problem != "" {
			rt.Fatal(problem)
		}
	})
}

// change removes lines, duplicates them, or changes their values or their depth.
func change(t *rapid.T, text string) string {
	lines := strings.Split(text, "\n")
	for range rapid.IntRange(1, 6).Draw(t, "changes") {
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		field, _, ok := strings.Cut(lines[i], ":")
		switch rapid.IntRange(0, 4).Draw(t, "how") {
		case 0, 1:
			if ok {
				lines[i] = field + ": " + rapid.SampledFrom([]string{"0", "5m", "null", "{}", "[]", `""`, "&a x", "*a", "[{}, x]", "{a: b}", "!!int x", "|"}).Draw(t, "to")
			}
		case 2:
			lines = slices.Insert(lines, i, rapid.SampledFrom(lines).Draw(t, "another"))
		case 3:
			lines[i] = strings.TrimPrefix(lines[i], "  ")
		default:
			lines = append(slices.Delete(lines, i, i+1), "")
		}
	}
	return strings.Join(lines, "\n")
}

// holds returns what is wrong with the conversion of a text; empty if nothing is.
func holds(text string) string {
	documents, _ := manifest.Parse("text.yaml", []byte(text))
	var all strings.Builder
	for _, document := range documents {
		all.WriteString(document.Text)
		once, notes := Document(document, options)
		for _, note := range notes {
			if note.Line < 1 || note.Line > strings.Count(text, "\n")+1 {
				return fmt.Sprintf("there is no line for %+v of\n%s", note, document.Text)
			}
		}
		again, problems := manifest.Parse("once.yaml", []byte(once))
		if len(document.Objects) > 0 && len(problems) > 0 {
			return problems[0].Error() + "\n" + once + "\nof\n" + document.Text
		}
		for _, one := range again {
			if twice, _ := Document(one, options); twice != one.Text {
				return "of\n" + one.Text + "\nbecomes\n" + twice
			}
		}
	}
	if all.String() != text {
		return "the documents are not the stream: " + all.String()
	}
	return ""
}

// FuzzDocument: no file content causes a panic, and a second conversion changes nothing.
func FuzzDocument(f *testing.F) {
	for _, text := range docs.Texts(f, "testdata/*.yaml") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if problem := holds(text); problem != "" {
			t.Fatal(problem)
		}
	})
}
