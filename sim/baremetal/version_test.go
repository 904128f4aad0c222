package baremetal

import (
	"os"
	"regexp"
	"testing"
)

// TestOneVersion: this module imports the types of the operator version that tools/bmo builds.
func TestOneVersion(t *testing.T) {
	version := func(file, module string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		match := regexp.MustCompile(`\tgithub\.com/metal3-io/` + module + ` (\S+)`).FindSubmatch(data)
		if match == nil {
			t.Fatalf("%s does not require %s", file, module)
		}
		return string(match[1])
	}
	const bmo = "../../tools/bmo/go.mod"
	want := version("../go.mod", "baremetal-operator/apis")
	for _, module := range []string{"baremetal-operator", "baremetal-operator/apis"} {
		if got := version(bmo, module); got != want {
			t.Errorf("%s requires %s of %s, and sim has %s", bmo, got, module, want)
		}
	}
}
