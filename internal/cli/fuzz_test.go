package cli

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/testing/sentence"
)

// FuzzTarget: a target reads the same after printing, or is refused with a clear sentence.
func FuzzTarget(f *testing.F) {
	for _, arg := range []string{"", "/", "metal-3", "machine/metal-3", "machine.cluster.x-k8s.io/metal-3", "ns/metal-3", "mr/a/b", "MHC/workers", "\x00/\x1b", "é/ü"} {
		f.Add(arg)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		if got, err := parseTarget(arg, kindMachine, kindHealthCheck); err != nil {
			sentence.Clear(t, oneLine(err), arg, arg, arg)
		} else if again, err := parseTarget(got.kind+"/"+got.name, kindMachine, kindHealthCheck); got.kind != "" && (err != nil || again != got) {
			t.Errorf("%q is %v, which is %v (%v)", arg, got, again, err)
		}
	})
}

// FuzzChanges: simulate accepts any file, or says what is wrong with it.
func FuzzChanges(f *testing.F) {
	for _, text := range []string{
		"", "---\n---\n", "a: [", "{}", "[]", "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineHealthCheck\nmetadata: {name: a}\nspec: {clusterName: b, selector: {matchLabels: {a: b}}}\n",
		"apiVersion: sickbay.dev/v1alpha1\nkind: MachineRemediationTemplate\nmetadata: {name: a}\nspec: {template: {spec: {steps: [{name: a, action: Replace}]}}}\n",
		"apiVersion: v1\nkind: Secret\n", "a: &a [*a]", "\x00", "%YAML 1.1\n---\na: 1",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := readChanges([]manifest.File{{Name: "f", Data: data}}); err != nil && err.Error() == "" {
			t.Error("it says nothing")
		}
	})
}
