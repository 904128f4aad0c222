package bench

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/discovery"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

var (
	many   = flag.Int("many", 10_000, "how many objects Sickbay checks")
	few    = flag.Int("few", 1_000, "how many objects both libraries check")
	window = flag.Duration("window", 2*period, "for how long the steady state is measured")
)

// BenchmarkLibraries runs once, with make bench-library. It fails if a goal is missed.
func BenchmarkLibraries(b *testing.B) {
	e := env.Get(b)
	w := &world{Env: e}
	began := time.Now()
	w.grow(b, *few)
	small := w.measure(b, ours, oneByOne)
	w.reset(b)
	beside := w.measure(b, original, spread)
	w.reset(b)
	w.grow(b, *many)
	large := w.measure(b, ours, oneByOne)

	version, err := discovery.NewDiscoveryClientForConfigOrDie(e.Config).ServerVersion()
	must(b, err)
	tell("\nThree checks of each object, every %s. The steady state is that of %s.", period, *window)
	tell("%d processors, %s, Kubernetes %s, original library %s, %s in all.\n",
		runtime.NumCPU(), runtime.Version(), version.GitVersion, versionOf(b, "github.com/gardener/gardener"), time.Since(began).Round(time.Second))
	printTable(os.Stdout, large, small, beside)
	for _, missed := range append(goals(large), append(goals(small), comparison(small, beside)...)...) {
		b.Error("Goal missed: " + missed)
	}
}

// versionOf returns the version of a module that this one requires.
func versionOf(b *testing.B, module string) string {
	b.Helper()
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
	must(b, err)
	return strings.TrimSpace(string(version))
}

// tell prints progress, because the benchmark takes minutes.
func tell(format string, args ...any) { fmt.Fprintf(os.Stdout, format+"\n", args...) }

// must ends the benchmark on an error.
func must(b testing.TB, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
