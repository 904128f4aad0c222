package view_test

import (
	"testing"
	"time"

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
