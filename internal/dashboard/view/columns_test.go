package view_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
)

// TestHistoryOfTheFuture: the API server's clock stamps records, and that of who looks may be behind it.
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

// TestNoEmptyColumnAtTheEnd: at the moment at which a column would begin, there is none yet.
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
