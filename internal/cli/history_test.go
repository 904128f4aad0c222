package cli

import "testing"

// TestSpansInDays: people give long times in days.
func TestSpansInDays(t *testing.T) {
	for text, want := range map[string]string{"1d": "24h", "1d12h": "36h", "90m": "1h30m"} {
		cmd := newHistory()
		if err := cmd.ParseFlags([]string{"--since=" + text}); err != nil {
			t.Fatal(err)
		}
		if got := cmd.Flags().Lookup("since").Value.String(); got != want {
			t.Errorf("--since=%s is %s, want %s", text, got, want)
		}
	}
}
