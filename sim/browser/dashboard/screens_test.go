package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/sim/browser"
)

// all are the fleets with which every page is tested.
var all = map[string]func() *explain.Facts{
	"none": empty, "eleven": explaintest.Eleven, "many": many, "all sick": explaintest.AllSick, "unreadable": explaintest.Unreadable, "hostile": explaintest.Hostile,
}

// empty returns the fleet of a new installation.
func empty() *explain.Facts { return explaintest.Merge() }

// many returns many machines, and as many past repairs as Sickbay keeps.
func many() *explain.Facts { return explaintest.Past(explaintest.Many(10000, 100), 2000) }

// TestScreens follows the links from the first page, and checks a few pages of each kind: nothing is logged, no request goes to
// another server, both themes are accessible, nothing is too wide for a small screen, and foreign text stays text.
func TestScreens(t *testing.T) {
	for name, facts := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The page must close before its server, because a page that loses its connection logs that.
			s := serve(t, facts())
			page := chromium.Page(t, browser.Options{})
			crawl(t, page, s.address, func(path string) { look(t, page, path) })
		})
	}
}

func look(t *testing.T, page *browser.Page, path string) {
	t.Helper()
	barriers := page.Barriers(axe)
	page.Theme(true)
	for _, barrier := range append(barriers, page.Barriers(axe, "color-contrast")...) {
		t.Errorf("%s: %s", path, barrier)
	}
	page.Resize(320, 640)
	if wide := page.TooWide(); len(wide) > 0 {
		t.Errorf("%s is too wide for a small screen: %q", path, wide)
	}
	if browser.Eval[bool](page, `"hostile" in window || !!document.querySelector("#hostile, img[onerror]")`) {
		t.Errorf("%s: what others have written did not stay text", path)
	}
	if browser.Eval[bool](page, `/[\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.outerHTML)`) {
		t.Errorf("%s: what others have written turns the text beside it around", path)
	}
	page.Resize(1280, 800)
	page.Theme(false)
}

// kind returns the common name of pages that differ only in their subject, and how many of them to check.
func kind(path string) (name string, some int) {
	path, query, _ := strings.Cut(path, "?")
	if parts := strings.Split(path, "/"); len(parts) > 2 {
		return parts[1] + "/", 3
	}
	return path + fmt.Sprint(query != ""), 1
}

// crawl opens the pages that links lead to, a few of each kind.
func crawl(t *testing.T, page *browser.Page, address string, look func(path string)) {
	t.Helper()
	seen, kinds := map[string]bool{"/": true}, map[string]int{}
	for next := []string{"/"}; len(next) > 0; next = next[1:] {
		if status := page.Open(address + next[0]); status != http.StatusOK {
			t.Errorf("%s answers %d", next[0], status)
			continue
		}
		look(next[0])
		for _, link := range browser.Eval[[]string](page, `[...document.links].filter(a => a.origin === location.origin).map(a => a.pathname + a.search)`) {
			if name, some := kind(link); !seen[link] && kinds[name] < some {
				seen[link] = true
				kinds[name]++
				next = append(next, link)
			}
		}
	}
}
