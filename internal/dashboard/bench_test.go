package dashboard

import (
	"io/fs"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
)

// maxFirstPage is the largest allowed size of the first page, with all that it loads.
const maxFirstPage = 200_000

// TestSize: the first page with 10,000 machines is small, whatever their states are.
func TestSize(t *testing.T) {
	assets := 0
	err := fs.WalkDir(embedded, "assets", func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		assets += int(info.Size())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, sick := range map[string]int{"healthy": 0, "one of 50 sick": 50, "all sick": 1} {
		d := run(t, explaintest.Many(10_000, sick))
		page := d.get(t, "/").Body.Len()
		t.Logf("%s: %d bytes, and %d of assets", name, page, assets)
		if page+assets > maxFirstPage {
			t.Errorf("%s: the first page is %d bytes, and %d of assets", name, page, assets)
		}
		if rows := d.get(t, "/machines").Body.Len(); rows > maxFirstPage {
			t.Errorf("%s: the table of machines is %d bytes", name, rows)
		}
	}
}

// BenchmarkFirstPage renders a page from a look at 10,000 machines, which all requests share.
func BenchmarkFirstPage(b *testing.B) {
	for name, facts := range many() {
		d := run(b, facts)
		for _, at := range []string{"/", "/machines?q=md-0-0123", "/clusters", "/checks"} {
			b.Run(name+at, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if w := d.get(b, at); w.Code != 200 {
						b.Fatal(w.Code)
					}
				}
			})
		}
	}
}

// BenchmarkLook prepares a look at 10,000 machines; that happens at most once a second.
func BenchmarkLook(b *testing.B) {
	for name, facts := range many() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				view.New(facts)
			}
		})
	}
}

func many() map[string]*explain.Facts {
	return map[string]*explain.Facts{
		"healthy": explaintest.Many(10_000, 0), "one of 100 sick": explaintest.Many(10_000, 100), "all sick": explaintest.Many(10_000, 1),
	}
}
