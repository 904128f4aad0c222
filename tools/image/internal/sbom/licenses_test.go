package sbom

import (
	"strings"
	"testing"
)

func TestLicenses(t *testing.T) {
	line := strings.Repeat("=", 100) + "\n"
	notices := "About this file: MIT\n\n" +
		line + "example.com/one (LICENSE): MIT\nexample.com/two (LICENSE): MIT\n" + line + "\nexample.com/three (LICENSE): ISC\n\n" +
		line + "example.com/one (NOTICE)\n" + line + "\nMade by somebody.\n\n" +
		line + "example.com/two (third_party/x/COPYING): Apache-2.0 AND MIT\nthe Go standard library and runtime (LICENSE): BSD-3-Clause\n" + line
	declared := licenses([]byte(notices))
	for module, want := range map[string]string{
		"example.com/one": "MIT", "example.com/two": "Apache-2.0 AND MIT", "example.com/three": noAssertion, "About this file": noAssertion,
		"the Go standard library and runtime": "BSD-3-Clause",
	} {
		if got := declared.of(module); got != want {
			t.Errorf("%s is under %s, want %s", module, got, want)
		}
	}
}
