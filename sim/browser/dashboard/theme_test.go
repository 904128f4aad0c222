package dashboard_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/sim/browser"
)

// background is the color of the page.
const background = `getComputedStyle(document.body).backgroundColor`

// TestTheme: the page follows the system's theme until a person chooses one, which the next
// page keeps.
func TestTheme(t *testing.T) {
	t.Parallel()
	s := serve(t, explaintest.Eleven())
	page := chromium.Page(t, browser.Options{})
	page.Open(s.address + "/")
	light := browser.Eval[string](page, background)
	page.Theme(true)
	dark := browser.Eval[string](page, background)
	if light == dark {
		t.Errorf("the page is %s in both themes", dark)
	}
	tabTo(t, page, "the switch", func(f focus) bool { return f.ID == "theme" })
	page.Press(kb.Enter)
	page.Await("the light theme", background+` === "`+light+`"`)
	page.Open(s.address + "/machines")
	if got := browser.Eval[string](page, background); got != light {
		t.Errorf("the next page is %s, not %s as the person had chosen", got, light)
	}
}
