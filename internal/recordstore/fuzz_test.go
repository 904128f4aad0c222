package recordstore_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
)

// FuzzName: the name of a record is valid and fits into a label, and contains the ordinal.
func FuzzName(f *testing.F) {
	f.Add("metal-3", "0b9e8e8e-uid", 1)
	f.Add(strings.Repeat("very-long-", 20)+"machine", "uid", 2147483647)
	f.Add("a.b", "", 12)
	f.Add("a"+strings.Repeat("-", 60)+"b", "uid", 10)
	f.Add("x", "\xff", -7)
	f.Fuzz(func(t *testing.T, machine, uid string, ordinal int) {
		ordinal &= 1<<31 - 1
		name := recordstore.Name(machine, types.UID(uid), ordinal)
		if len(name) > 63 {
			t.Errorf("%q is too long for a label", name)
		}
		if len(validation.IsDNS1123Subdomain(machine)) == 0 && len(validation.IsDNS1123Subdomain(name)) > 0 {
			t.Errorf("of the machine %q it is %q, which is no name", machine, name)
		}
		named := &v1alpha1.MachineRemediation{}
		named.Name = name
		if got := recordstore.Ordinal(named); got != ordinal {
			t.Errorf("%q is number %d, want %d", name, got, ordinal)
		}
		if !recordstore.IsNameFor(name, machine, types.UID(uid)) {
			t.Errorf("%q is not known as a name for the machine %q", name, machine)
		}
	})
}

// FuzzOrdinal: whatever the name and annotation of an object, the ordinal is not negative.
func FuzzOrdinal(f *testing.F) {
	f.Add("metal-3-0b9e8e8e-1", "2")
	f.Add("", "")
	f.Add("-", "-1")
	f.Add("x-99999999999999999999", "+3")
	f.Fuzz(func(t *testing.T, name, ordinal string) {
		named := &v1alpha1.MachineRemediation{}
		named.Name, named.Annotations = name, map[string]string{v1alpha1.OrdinalAnnotation: ordinal}
		if n := recordstore.Ordinal(named); n < 0 {
			t.Errorf("%q and %q are number %d", name, ordinal, n)
		}
	})
}
