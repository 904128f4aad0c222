package simulate

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/sentence"
)

// FuzzFail: a valid Fail has one of three forms, and prints as it was typed.
func FuzzFail(f *testing.F) {
	for _, text := range []string{"", "zone=eu-1a", "zone=", "machine/m", "machine/", "10%", "0%", "100.1%", "NaN%", "Inf%", "1e-300%", "-5%", "0x1p-2%", "\x00%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fail, err := ParseFail(text)
		if err != nil {
			sentence.Clear(t, err.Error(), text)
			return
		}
		again, err := ParseFail(fail.String())
		if err != nil || again != fail || (fail.zone != "") == (fail.machine != "") && !(fail.percent > 0 && fail.percent <= 100) {
			t.Errorf("%q is %+v, which is %+v (%v)", text, fail, again, err)
		}
	})
}
