package weight

import (
	"os"
	"testing"
)

// TestOf measures the binary of this test: most of it is Go's own library.
func TestOf(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := Of(binary)
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]uint64{}
	for i, part := range parts {
		weights[part.Module] = part.Code
		if i > 0 && part.Code > parts[i-1].Code {
			t.Errorf("%s is heavier than the one before", part.Module)
		}
	}
	if parts[0].Module != standard || weights["github.com/sickbay-dev/sickbay/tools/image"] == 0 {
		t.Errorf("the binary has %v", parts)
	}
	if _, err := Of("weight_test.go"); err == nil {
		t.Error("what is no binary is to be refused")
	}
}

func TestModuleOf(t *testing.T) {
	modules := []string{"example.com/a", "example.com/a/b", "gopkg.in/yaml.v3"}
	for pkg, want := range map[string]string{
		"example.com/a":      "example.com/a",
		"example.com/a/b/c":  "example.com/a/b",
		"example.com/ab":     standard,
		"gopkg.in/yaml%2ev3": "gopkg.in/yaml.v3",
		"net/http":           standard,
		"main":               "example.com/a",
		"":                   generated,
	} {
		if got := moduleOf(pkg, modules); got != want {
			t.Errorf("%q is of %q, and not of %q", pkg, got, want)
		}
	}
}
