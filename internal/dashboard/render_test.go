package dashboard

import "testing"

// TestSplitHeadline: the words in capital letters are set in bold.
func TestSplitHeadline(t *testing.T) {
	for text, want := range map[string]headline{
		"SICK for 3m":                     {"SICK", " for 3m"},
		"CLOSED, no repair begins":        {"CLOSED", ", no repair begins"},
		"NOT LOOKED AFTER: no":            {"NOT LOOKED AFTER", ": no"},
		"BEING DELETED":                   {"BEING DELETED", ""},
		"5 machines: 5 healthy":           {"", "5 machines: 5 healthy"},
		"Recovered after reboot":          {"", "Recovered after reboot"},
		"GONE. The last repair: Replaced": {"GONE", ". The last repair: Replaced"},
		"":                                {},
	} {
		if got := splitHeadline(text); got != want {
			t.Errorf("%q is split into %q", text, got)
		}
	}
}
