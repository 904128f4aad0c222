package sbom

import (
	"runtime/debug"
	"testing"
)

// TestDependency: the bill says what is in the binary, and nothing about where it was built.
func TestDependency(t *testing.T) {
	const library = "github.com/sickbay-dev/sickbay/healthcheck"
	for name, tt := range map[string]struct {
		dep                          debug.Module
		path, version, license, purl string
	}{
		"as required": {debug.Module{Path: "k8s.io/api", Version: "v0.36.3", Sum: "h1:x"}, "k8s.io/api", "v0.36.3", noAssertion, "pkg:golang/k8s.io/api@v0.36.3"},
		"replaced": {debug.Module{Path: "a.example/a", Version: "v1.0.0", Replace: &debug.Module{Path: "b.example/b", Version: "v2.0.0"}},
			"b.example/b", "v2.0.0", noAssertion, "pkg:golang/b.example/b@v2.0.0"},
		"of this repository": {debug.Module{Path: library, Version: "v0.0.0-00010101000000-000000000000", Replace: &debug.Module{Path: "./healthcheck", Version: "(devel)"}},
			library, "v1.2.3", "Apache-2.0", "pkg:golang/" + library + "@v1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			got := dependency(&tt.dep, "v1.2.3")
			if got.PackageName != tt.path || got.PackageVersion != tt.version || got.PackageLicenseDeclared != tt.license || got.PackageExternalReferences[0].Locator != tt.purl {
				t.Errorf("got %+v", got)
			}
		})
	}
}
