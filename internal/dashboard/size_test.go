package dashboard

import (
	"io/fs"
	"testing"

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
