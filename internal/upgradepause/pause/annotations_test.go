package pause

import (
	"strings"
	"testing"
	"time"
)

func TestHolderOf(t *testing.T) {
	mark, record := stored{keyMarker: ""}, stored{keyHandled: "A"}
	for name, tt := range map[string]struct {
		has  stored
		want holder
	}{
		"nothing":                            {nil, nobody},
		"marks alone":                        {mark.And(record), nobody},
		"handed over":                        {stored{keyPaused: "sickbay"}, nobody},
		"handed over, marked":                {stored{keyPaused: "sickbay"}.And(mark).And(record), nobody},
		"our value, marked":                  {stored{keyPaused: "upgrade"}.And(mark), us},
		"our value, marked and recorded":     {stored{keyPaused: "upgrade"}.And(mark).And(record), us},
		"our value on one handed over":       {stored{keyPaused: "sickbay-upgrade"}.And(mark), us},
		"a marker with a value":              {stored{keyPaused: "upgrade", keyMarker: "true"}, us},
		"the proposal's value":               {stored{keyPaused: ""}.And(mark), us},
		"the proposal's value, recorded":     {stored{keyPaused: ""}.And(mark).And(record), somebody},
		"our value, no marker":               {stored{keyPaused: "upgrade"}, somebody},
		"our value, recorded, no marker":     {stored{keyPaused: "upgrade"}.And(record), somebody},
		"our value, handed over, no marker":  {stored{keyPaused: "sickbay-upgrade"}, somebody},
		"no value, no marker":                {stored{keyPaused: ""}, somebody},
		"another value":                      {stored{keyPaused: "true"}, somebody},
		"another value, marked":              {stored{keyPaused: "true"}.And(mark), somebody},
		"another value, marked and recorded": {stored{keyPaused: "true"}.And(mark).And(record), somebody},
	} {
		t.Run(name, func(t *testing.T) {
			if got := holderOf(tt.has); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestTimeOf(t *testing.T) {
	for value, want := range map[string]time.Time{
		"": {}, "yesterday": {}, "12:00": {}, "2026-01-01": {}, "1767268800": {}, "2026-01-01T12:00:00": {},
		"2026-01-01T12:00:00Z": noon, "2026-01-01T14:00:00+02:00": noon,
	} {
		if got := timeOf(stored{keySince: value}, keySince); !got.Equal(want) {
			t.Errorf("%q is read as %s, want %s", value, got, want)
		}
	}
	if got := timeOf(nil, keySince); !got.IsZero() {
		t.Errorf("nothing is read as %s", got)
	}
	there := time.FixedZone("there", 2*60*60)
	if got := *format(noon.In(there).Add(time.Millisecond)); got != "2026-01-01T12:00:00Z" {
		t.Errorf("noon is written as %s", got)
	}
}

// TestRecordIsBounded: the record contains only upgrades in progress.
func TestRecordIsBounded(t *testing.T) {
	old := strings.Repeat("gone,", 1000) + "A"
	decideRows(t, map[string]row{
		"while we pause":       {has: ours(old, noon), upgrades: upgrading("A"), gets: ours("A", noon), recheck: noon.Add(warnAfter)},
		"after an override":    {has: stored{keyHandled: old}, upgrades: upgrading("A"), gets: stored{keyHandled: "A"}},
		"on somebody's pause":  {has: stored{keyPaused: "", keyHandled: old}, upgrades: upgrading("A"), gets: stored{keyPaused: "", keyHandled: "A"}},
		"when nothing goes on": {has: stored{keyHandled: old}, gets: stored{}},
	})
}
