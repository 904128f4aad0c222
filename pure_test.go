package sickbay_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// purePackages only calculate: they take facts, and the time if they need it, as values, and return a value.
var purePackages = []string{
	"internal/machinehealth/verdict",
	"internal/machinehealth/verdict/signals",
	"internal/repair/ladder",
	"internal/repair/onmachine",
	"internal/repair/retention",
	"internal/repair/admission",
	"internal/repair/memory",
	"internal/repair/pacing",
	"internal/repair/silence",
	"internal/repair/successor",
	"internal/repair/timeline",
	"internal/reboot/cycle",
	"internal/reboot/quorum",
	"internal/remedy/rebootannotation",
	"internal/upgradepause/pause",
	"internal/explain",
	"internal/hangs",
	"internal/explain/ahead",
	"internal/explain/selects",
	"internal/intake/ask",
	"internal/annotationkeys",
	"internal/convert",
	"internal/preview",
	"internal/simulate",
	"internal/dashboard/view",
	"internal/lease/scope",
	"internal/jitter",
	"internal/humanize",
	"internal/conditions",
}

// pureFiles only decide, in packages that also read and write.
var pureFiles = []string{
	"internal/mhcspec/config.go", "internal/mhcspec/rules.go", "internal/mhcspec/scale.go",
	"internal/repair/machinehealthcheck/adoption/decide.go",
	"healthcheck/damping.go", "healthcheck/interval.go", "healthcheck/merge.go",
	"healthcheck/plan.go", "healthcheck/result.go",
}

// impure are prefixes of packages that read, write, wait or log.
var impure = []string{
	"context", "io", "log", "math/rand", "net", "os", "sync", "testing",
	"github.com/go-logr", "k8s.io/client-go", "k8s.io/klog", "k8s.io/utils/clock", "sigs.k8s.io/controller-runtime",
	"sigs.k8s.io/cluster-api/util", "sigs.k8s.io/cluster-api/controllers",
}

// calculations are packages below those that only calculate.
var calculations = []string{"sigs.k8s.io/cluster-api/util/annotations", "sigs.k8s.io/cluster-api/util/version", "sigs.k8s.io/cluster-api/controllers/noderefutil"}

// impureNames are impure functions in packages that are otherwise pure.
var impureNames = []string{"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.NewTimer", "time.NewTicker", "time.Tick"}

// TestPurePackages: these packages import no client, context, logger or clock.
func TestPurePackages(t *testing.T) {
	for _, dir := range purePackages {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		code := slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
		if len(code) == 0 {
			t.Errorf("%s has no code", dir)
		}
		for _, file := range code {
			for _, found := range impurities(t, file, nil) {
				t.Errorf("%s uses %s", file, found)
			}
		}
	}
}

// TestPurePackagesUseNoController: of this project's packages, they import only each other, and the few that hold values beside their
// reads or writes.
func TestPurePackagesUseNoController(t *testing.T) {
	const module = "github.com/sickbay-dev/sickbay/"
	allowed := append([]string{
		"api/v1alpha1", "healthcheck", "internal/manifest", "internal/mask", "internal/mhcspec", "internal/ownwrites",
		"internal/recordstore", "internal/repair/rules",
	}, purePackages...)
	for _, dir := range purePackages {
		pkg, err := build.ImportDir(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range pkg.Imports {
			used, ours := strings.CutPrefix(path, module)
			if ours && !slices.Contains(allowed, used) {
				t.Errorf("%s uses %s", dir, used)
			}
		}
	}
}

// TestPureFiles: these files import no client, context, logger or clock.
func TestPureFiles(t *testing.T) {
	for _, file := range pureFiles {
		for _, found := range impurities(t, file, nil) {
			t.Errorf("%s uses %s", file, found)
		}
	}
}

// TestImpurities proves that the test above can fail.
func TestImpurities(t *testing.T) {
	source := "package p\n\nimport (\n\t\"fmt\"\n\t\"time\"\n\n\t\"sigs.k8s.io/controller-runtime/pkg/client\"\n)\n\nvar at, of, c = time.Now(), fmt.Sprint, client.Object(nil)\n"
	want := []string{"sigs.k8s.io/controller-runtime/pkg/client", "time.Now"}
	if got := impurities(t, "p.go", source); !slices.Equal(got, want) {
		t.Errorf("impurities are %q, want %q", got, want)
	}
}

// impurities returns the impure packages and functions that a Go file uses. If source is nil, it reads the file.
func impurities(t *testing.T, file string, source any) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(calculations, path) && slices.ContainsFunc(impure, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") }) {
			found = append(found, path)
		}
	}
	return append(found, selected(parsed, impureNames)...)
}

// selected returns the names of other packages, out of names, that a file uses.
func selected(file *ast.File, names []string) []string {
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := selector.X.(*ast.Ident); ok && slices.Contains(names, pkg.Name+"."+selector.Sel.Name) {
			found = append(found, pkg.Name+"."+selector.Sel.Name)
		}
		return true
	})
	return found
}
