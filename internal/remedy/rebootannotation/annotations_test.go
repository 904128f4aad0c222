package rebootannotation_test

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// TestIsSign: only an operationID is a sign. People set nothing like it.
func TestIsSign(t *testing.T) {
	const uid = "6f1c9d1e-0000-4000-8000-00000000000f"
	for value, want := range map[string]bool{
		uid + "/1": true, uid + "/120": true,
		"": false, "now": false, uid: false, uid + "/": false, uid + "/x": false, uid + "/1 ": false, uid + "/1\n": false, "a" + uid + "/1": false,
		"6F1C9D1E-0000-4000-8000-00000000000F/1": false, "r/1": false, "2026-01-01T00:00:00Z": false, "/1": false,
	} {
		if got := rebootannotation.IsSign(value); got != want {
			t.Errorf("%q is a sign: %t", value, got)
		}
	}
}

// FuzzIsSign: whatever a person sets, only what has the form of an operationID is a sign.
func FuzzIsSign(f *testing.F) {
	f.Add("6f1c9d1e-0000-4000-8000-000000000001/1")
	f.Add("")
	f.Add("x")
	f.Fuzz(func(t *testing.T, value string) {
		uid, number, two := strings.Cut(value, "/")
		if rebootannotation.IsSign(value) && (!two || len(uid) != 36 || number == "" || strings.Trim(number, "0123456789") != "") {
			t.Errorf("%q is a sign", value)
		}
	})
}
