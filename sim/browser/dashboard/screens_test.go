package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/testing/fleets"
	"github.com/sickbay-dev/sickbay/sim/browser"
)

// all are the fleets that every page is tried with.
var all = map[string]func(time.Time) explain.Facts{
	"none":       fleets.Empty,
	"eleven":     fleets.Eleven,
	"many":       func(now time.Time) explain.Facts { return fleets.Many(now, 10000) },
	"all sick":   fleets.AllSick,
	"unreadable": fleets.Unreadable,
	"hostile":    fleets.Hostile,
}

// TestScreens follows the links from the first page on, and looks at three pages of each kind: nothing is logged, nobody else is
// asked, nobody is kept out in either theme, nothing is too wide for a small screen, and what others have written stays text.
func TestScreens(t *testing.T) {
	for name, facts := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, facts(noon)).address
			page := chromium.Page(t, browser.Options{})
			for _, path := range crawl(t, page, address) {
				look(t, page, address, path)
			}
		})
	}
}

func look(t *testing.T, page *browser.Page, address, path string) {
	t.Helper()
	page.Resize(1280, 800)
	page.Theme(false)
	page.Open(address + path)
	for _, dark := range []bool{false, true} {
		page.Theme(dark)
		for _, barrier := range page.Barriers(axe) {
			t.Errorf("%s, dark=%t: %s", path, dark, barrier)
		}
	}
	page.Resize(320, 640)
	if wide := page.TooWide(); len(wide) > 0 {
		t.Errorf("%s is too wide for a small screen: %q", path, wide)
	}
	if browser.Eval[bool](page, `"hostile" in window || !!document.querySelector("main img[onerror], main script")`) {
		t.Errorf("%s: what others have written did not stay text", path)
	}
}

// ofEachKind is how many pages of a kind are looked at.
const ofEachKind = 3

var object = regexp.MustCompile(`^/(machines|checks|clusters|records)/.*`)

// kind is what pages have in common that differ only in what they are about.
func kind(path string) string {
	path, query, _ := strings.Cut(path, "?")
	if match := object.FindStringSubmatch(path); match != nil {
		return match[1] + "/"
	}
	if query != "" {
		return path + "?"
	}
	return path
}

// crawl returns the paths that can be reached by links, three of each kind.
func crawl(t *testing.T, page *browser.Page, address string) []string {
	t.Helper()
	seen, kinds := map[string]bool{"/": true}, map[string]int{}
	var found []string
	for next := []string{"/"}; len(next) > 0; next = next[1:] {
		path := next[0]
		if status := page.Open(address + path); status != http.StatusOK {
			t.Errorf("%s answers %d", path, status)
			continue
		}
		found = append(found, path)
		for _, link := range browser.Eval[[]string](page, `[...document.links].filter(a => a.origin === location.origin).map(a => a.pathname + a.search)`) {
			if !seen[link] && kinds[kind(link)] < ofEachKind {
				seen[link] = true
				kinds[kind(link)]++
				next = append(next, link)
			}
		}
	}
	return found
}
