package dashboard_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/sickbay-dev/sickbay/sim/browser"
)

// TestFilter: a part of its name finds one of 10,000 machines, with and without JavaScript.
func TestFilter(t *testing.T) {
	t.Parallel()
	s := serve(t, many())
	for name, o := range map[string]browser.Options{"scripts": {}, "no scripts": {NoScript: true}} {
		t.Run(name, func(t *testing.T) {
			page := chromium.Page(t, o)
			page.Open(s.address + "/machines")
			if text := page.Text(); !strings.Contains(text, "10,000") && !strings.Contains(text, "10000") {
				t.Errorf("it is not said how many machines there are:\n%s", text[:min(len(text), 1000)])
			}
			tabTo(t, page, "the filter", func(f focus) bool { return f.ID == "q" })
			page.Press("cluster-17-md-0-02751")
			page.Press(kb.Enter)
			page.Await("what was found", `location.search.includes("q=cluster-17-md-0-02751") && document.readyState === "complete"`)
			rows := browser.Eval[[]string](page, `[...document.querySelectorAll("main a[href^='/machines/']")].map(a => a.getAttribute("href")).filter(h => !h.includes("?"))`)
			if len(rows) != 1 || rows[0] != "/machines/default/cluster-17-md-0-02751" {
				t.Errorf("found are %q", rows)
			}
		})
	}
}
