package dashboard_test

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/fleets"
	"github.com/sickbay-dev/sickbay/sim/browser"
)

// TestWithoutScripts: every page says the same with JavaScript off, but for what is live.
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	s := serve(t, fleets.Eleven(noon))
	page := chromium.Page(t, browser.Options{NoScript: true})
	for _, path := range crawl(t, page, s.address) {
		page.Open(s.address + path)
		if strings.TrimSpace(browser.Eval[string](page, `document.querySelector("main").innerText`)) == "" {
			t.Errorf("%s is empty", path)
		}
	}
}
