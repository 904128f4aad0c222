package sickbay_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pages returns the Markdown files of the repository.
func pages(t *testing.T) []string {
	t.Helper()
	return files(t, ".md", ".")
}

// files returns the files below folders whose names end in suffix, without hidden ones and what is built.
func files(t *testing.T, suffix string, folders ...string) []string {
	t.Helper()
	var found []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && path != "." && (slices.Contains([]string{"bin", "dist", "testdata", "tmp"}, entry.Name()) || strings.HasPrefix(entry.Name(), ".")) {
				return filepath.SkipDir
			}
			if strings.HasSuffix(path, suffix) {
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func page(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code    = regexp.MustCompile("(?s)```.*?```")
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noSlug  = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// TestLinks: each link within the repository leads to a file, and to a heading in it.
func TestLinks(t *testing.T) {
	for _, file := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(code.ReplaceAllString(page(t, file), ""), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := file
			if target != "" {
				path = filepath.Join(filepath.Dir(file), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s, which is not there", file, match[1])
				continue
			}
			if anchor != "" && !hasHeading(page(t, path), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", file, match[1])
			}
		}
	}
}

// hasHeading uses the anchors that renderers generate: the second of two equal headings gets "-1".
func hasHeading(text, anchor string) bool {
	seen := map[string]int{}
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		slug := strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-")
		if n := seen[slug]; (n == 0 && slug == anchor) || (n > 0 && anchor == slug+"-"+string(rune('0'+n))) {
			return true
		}
		seen[slug]++
	}
	return false
}

// TestMakeHelpIsShownAsItIs: CONTRIBUTING.md shows what make help prints before the targets that are needed less often.
func TestMakeHelpIsShownAsItIs(t *testing.T) {
	help := exec.Command("make", "--no-print-directory", "help")
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "MAKE") && !strings.HasPrefix(variable, "MFLAGS") {
			help.Env = append(help.Env, variable)
		}
	}
	out, err := help.Output()
	if err != nil {
		t.Fatal(err)
	}
	often, _, found := strings.Cut(string(out), "\nNeeded less often")
	if !found || !strings.Contains(page(t, "CONTRIBUTING.md"), "```\n"+often+"```\n") {
		t.Errorf("CONTRIBUTING.md does not show what make help prints:\n%s", out)
	}
}

// quoted matches what people are told to type.
var quoted = regexp.MustCompile("(?m)(?:`|^)make ((?:[a-z][a-z-]* ?)+)")

// TestQuotedTargetsExist: each target of make that a page names has its script.
func TestQuotedTargetsExist(t *testing.T) {
	for _, file := range pages(t) {
		for _, match := range quoted.FindAllStringSubmatch(page(t, file), -1) {
			for target := range strings.FieldsSeq(match[1]) {
				if _, err := os.Stat(filepath.Join("tools/make", target)); err != nil {
					t.Errorf("%s says %q, and there is no such target", file, "make "+target)
				}
			}
		}
	}
}

// TestReadmeShowsWhatCompiles: the Go code in README.md is part of an example.
func TestReadmeShowsWhatCompiles(t *testing.T) {
	readme := page(t, "README.md")
	if lines := strings.Count(readme, "\n"); lines >= 150 {
		t.Errorf("README.md has %d lines; what is more belongs into the documentation", lines)
	}
	_, code, found := strings.Cut(readme, "```go\n")
	code, _, ended := strings.Cut(code, "```")
	if !found || !ended || !strings.Contains(page(t, "examples/library/library.go"), code) {
		t.Errorf("the Go code in README.md is not in examples/library:\n%s", code)
	}
}

// lastColumn matches the last column of a table.
var lastColumn = regexp.MustCompile(`\| ([^|]*) \|$`)

// TestDifferencesNameTestsThatExist: each row of a table of differences names an existing test.
func TestDifferencesNameTestsThatExist(t *testing.T) {
	tests := allTests(t)
	for _, file := range []string{"README.md", "docs/operations/bare-metal.md"} {
		_, table, found := strings.Cut(page(t, file), "<!-- differences -->\n\n")
		table, _, ended := strings.Cut(table, "\n\n")
		if !found || !ended {
			t.Fatalf("%s has no table of differences", file)
		}
		for _, row := range strings.Split(table, "\n")[2:] {
			for name := range strings.SplitSeq(lastColumn.FindStringSubmatch(row)[1], ", ") {
				name = strings.Trim(name, "`")
				if !strings.Contains(tests, "\nfunc "+name+"(") && !strings.Contains(tests, "\nfunc TestUpstreamDefect_"+name+"(") {
					t.Errorf("there is no test %q, but %s refers to it", name, file)
				}
			}
		}
	}
}

func allTests(t *testing.T) string {
	t.Helper()
	var source strings.Builder
	for _, file := range files(t, "_test.go", "healthcheck", "internal") {
		source.WriteString(page(t, file))
	}
	return source.String()
}

var annotation = regexp.MustCompile("[\"`](sickbay\\.dev/[a-z0-9./-]+)[\"`]")

// TestAnnotationsAreDocumented: the reference has all annotations.
func TestAnnotationsAreDocumented(t *testing.T) {
	reference, found := page(t, "docs/reference.md"), 0
	for _, file := range files(t, ".go", "api", "healthcheck", "internal") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, match := range annotation.FindAllStringSubmatch(page(t, file), -1) {
			found++
			if !strings.Contains(reference, "`"+match[1]+"`") {
				t.Errorf("%s has the annotation %s, which docs/reference.md does not know", file, match[1])
			}
		}
	}
	if found == 0 {
		t.Error("there are no annotations of Sickbay")
	}
}

// tested are the parts that docs/versions.md names, each with the file and the module that says in which version tests run it.
var tested = []struct{ text, file, module string }{
	{"| Cluster API | its kinds in version `v1beta2`, which it has since 1.11 | %s:", "go.mod", "sigs.k8s.io/cluster-api"},
	{"clusterctl %s.", "tools/shelf/go.mod", "sigs.k8s.io/cluster-api"},
	{"kube-apiserver %s and", "tools/controlplane/go.mod", "k8s.io/kubernetes"},
	{"with Nodes of %s;", "tools/controlplane/go.mod", "k8s.io/kubernetes"},
	{"also use kube-apiserver %s |", "tools/controlplane/go.mod", "k8s.io/kubernetes"},
	{", on kube-apiserver %s. No", "tools/controlplane/go.mod", "k8s.io/kubernetes"},
	{"| Cluster API | its kinds in version `v1beta2`, which it has since 1.11 | %s:", "sim/go.mod", "sigs.k8s.io/cluster-api"},
	{"etcd %s,", "tools/controlplane/go.mod", "go.etcd.io/etcd/server/v3"},
	{"baremetal-operator %s, the real one", "tools/bmo/go.mod", "github.com/metal3-io/baremetal-operator"},
	{"`github.com/openshift/api` of %s,", "sim/go.mod", "github.com/openshift/api"},
	{"`--take-ownership` | %s |", "tools/shelf/go.mod", "helm.sh/helm/v4"},
	{"2.42 or newer | %s |", "tools/prometheus/go.mod", "github.com/prometheus/prometheus"},
}

// TestVersionsAreThoseOfTheModules: docs/versions.md names the versions that the tests run.
func TestVersionsAreThoseOfTheModules(t *testing.T) {
	versions := page(t, "docs/versions.md")
	for _, part := range tested {
		required := regexp.MustCompile(`(?m)^(?:require )?\s*` + regexp.QuoteMeta(part.module) + ` v(\S+)`).FindStringSubmatch(page(t, part.file))
		if required == nil {
			t.Errorf("%s does not require %s", part.file, part.module)
			continue
		}
		if want := strings.Replace(part.text, "%s", asPeopleSay(required[1]), 1); !strings.Contains(versions, want) {
			t.Errorf("%s requires %s %s, but docs/versions.md does not say %q", part.file, part.module, required[1], want)
		}
	}
}

// TestVersionsWereRun: docs/versions.md says when the tests last passed with each version of Cluster API that sim has, as make test-sim RECORD=1
// writes it.
func TestVersionsWereRun(t *testing.T) {
	_, table, begins := strings.Cut(page(t, "docs/versions.md"), "\n<!-- ran -->\n")
	table, _, ends := strings.Cut(table, "<!-- end -->\n")
	if !begins || !ends {
		t.Fatal("docs/versions.md has no table between <!-- ran --> and <!-- end -->")
	}
	lines := strings.Split(strings.TrimSpace(table), "\n")
	row := regexp.MustCompile(`^\| (\d+\.\d+\.\d+) \| (\d+\.\d+\.\d+) \| (20\d\d-\d\d-\d\d) \| ([1-9]\d+) \|$`)
	ran := map[string]bool{}
	for _, line := range lines[min(2, len(lines)):] {
		cells := row.FindStringSubmatch(line)
		if cells == nil {
			t.Errorf("docs/versions.md has the row %q", line)
			continue
		}
		if _, err := time.Parse(time.DateOnly, cells[3]); err != nil {
			t.Error(err)
		}
		ran[cells[1]] = true
	}
	want := map[string]bool{}
	others, err := filepath.Glob("sim/capi-*.mod")
	if err != nil || len(others) == 0 {
		t.Fatalf("the other module files of sim are %v: %v", others, err)
	}
	for _, file := range append(others, "sim/go.mod") {
		required := regexp.MustCompile(`(?m)^\tsigs.k8s.io/cluster-api(?: => sigs.k8s.io/cluster-api)? v(\S+)$`).FindStringSubmatch(page(t, file))
		if required == nil {
			t.Fatalf("%s has no Cluster API", file)
		}
		want[required[1]] = true
	}
	if diff := cmp.Diff(want, ran); diff != "" {
		t.Errorf("make test-sim CAPI=... RECORD=1 has not noted these versions (-want +got):\n%s", diff)
	}
}

var (
	pseudo = regexp.MustCompile(`^0\.0\.0-(\d{4})(\d{2})(\d{2})\d{6}-`)
	// Prometheus's modules are v0.316.0 for its release 3.16.0.
	prometheus = regexp.MustCompile(`^0\.([1-9])(?:0(\d)|(\d\d))\.(\d+)$`)
)

// asPeopleSay returns the date of a commit, or the release, for the version of a module.
func asPeopleSay(version string) string {
	if prometheus.MatchString(version) {
		return prometheus.ReplaceAllString(version, "$1.$2$3.$4")
	}
	if date := pseudo.FindStringSubmatch(version); date != nil {
		return strings.Join(date[1:], "-")
	}
	return version
}
