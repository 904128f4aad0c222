package view_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
)

// TestHistoryOfTheFuture: the API server's clock sets the times of records, and the viewer's clock may be behind it.
func TestHistoryOfTheFuture(t *testing.T) {
	facts := explaintest.Eleven()
	for _, record := range facts.Records {
		record.Record.CreationTimestamp.Time = facts.Now.Add(time.Hour)
	}
	p := view.New(facts).HistoryPage(view.HistoryQuery{})
	if len(p.Rows) == 0 || p.Chart == nil || len(p.Chart.Bars) != 1 {
		t.Errorf("it shows %d repairs, drawn as %+v", len(p.Rows), p.Chart)
	}
}

// TestNoEmptyColumnAtTheEnd: at the time at which a column would begin, it is not drawn yet.
func TestNoEmptyColumnAtTheEnd(t *testing.T) {
	drawn := func(now time.Time) []view.ColumnBar {
		facts := explaintest.Eleven()
		facts.Now = now
		return view.New(facts).HistoryPage(view.HistoryQuery{}).Chart.Bars
	}
	if diff := cmp.Diff(drawn(explaintest.Noon.Add(-time.Second)), drawn(explaintest.Noon)); diff != "" {
		t.Errorf("a second earlier it is drawn otherwise (-earlier +at noon):\n%s", diff)
	}
}
