package dashboard_test

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/sim/browser"
)

// TestWithoutScripts: every page has the same content with JavaScript off, except for live
// updates.
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	s := serve(t, explaintest.Eleven())
	page := chromium.Page(t, browser.Options{NoScript: true})
	crawl(t, page, s.address, func(path string) {
		if strings.TrimSpace(browser.Eval[string](page, `document.querySelector("main").innerText`)) == "" {
			t.Errorf("%s is empty", path)
		}
	})
}
