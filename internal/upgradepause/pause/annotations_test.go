package pause

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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

func TestHandled(t *testing.T) {
	active := []string{"A", "B"}
	for name, tt := range map[string]struct {
		has  stored
		want []string
	}{
		"no record":                  {nil, nil},
		"an empty record":            {stored{keyHandled: ""}, nil},
		"one of them":                {stored{keyHandled: "B"}, []string{"B"}},
		"both":                       {stored{keyHandled: "A,B"}, active},
		"whatever the order":         {stored{keyHandled: "B,A"}, active},
		"others":                     {stored{keyHandled: "C,D"}, nil},
		"one and others":             {stored{keyHandled: "C,A,D"}, []string{"A"}},
		"not by a part of its name":  {stored{keyHandled: "AB"}, nil},
		"a marker without a record":  {stored{keyMarker: ""}, active},
		"a record before the marker": {stored{keyMarker: "", keyHandled: "B"}, []string{"B"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, handled(tt.has, active), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("handled (-want +got):\n%s", diff)
			}
			if got := handled(tt.has, nil); len(got) > 0 {
				t.Errorf("without an upgrade: %q, want none", got)
			}
		})
	}
	if diff := cmp.Diff([]string{"A", "B"}, active); diff != "" {
		t.Errorf("handled has changed what it was given:\n%s", diff)
	}
}

func TestDifference(t *testing.T) {
	for name, tt := range map[string]struct {
		has    stored
		wanted map[string]*string
		want   map[string]*string
	}{
		"nothing to do":              {stored{keyPaused: "upgrade", "owner": "me"}, map[string]*string{keyPaused: new("upgrade")}, nil},
		"nothing there":              {nil, nil, nil},
		"one to add":                 {nil, map[string]*string{keyMarker: new("")}, map[string]*string{keyMarker: new("")}},
		"one to change":              {stored{keyHandled: "A"}, map[string]*string{keyHandled: new("B")}, map[string]*string{keyHandled: new("B")}},
		"one to change to no value":  {stored{keyMarker: "x"}, map[string]*string{keyMarker: new("")}, map[string]*string{keyMarker: new("")}},
		"one to remove":              {stored{keyHandled: "A"}, nil, map[string]*string{keyHandled: nil}},
		"one without a value":        {stored{keyPaused: ""}, nil, map[string]*string{keyPaused: nil}},
		"what is not there stays so": {nil, map[string]*string{keyPaused: nil}, nil},
		"others are left alone":      {stored{keyOption: "false", "owner": "me"}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, difference(tt.has, tt.wanted), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
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
