package dashboard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/sim/browser"
)

// TestLive: the page shows changes without a reload, keeps the focus and what was typed, and says why its data is
// old until it is current again.
func TestLive(t *testing.T) {
	t.Parallel()
	s := serve(t, explaintest.Eleven())
	page := chromium.Page(t, browser.Options{})
	page.Open(s.address + "/")
	if text := page.Text(); !strings.Contains(text, "11 machines") {
		t.Errorf("the page reads\n%s", text)
	}
	browser.Eval[bool](page, `window.loadedOnce = true`)
	page.Await("the connection", connected)
	tabTo(t, page, "the search", func(f focus) bool { return f.ID == "find" })
	page.Press("md-")

	s.becomes(explaintest.AllSick(), nil)
	page.Await("the other fleet", `document.body.innerText.includes("60 machines")`)
	if !browser.Eval[bool](page, `window.loadedOnce === true`) {
		t.Error("the page was loaded again")
	}
	if at := browser.Eval[focus](page, focused); at.ID != "find" || at.Text != "md-" {
		t.Errorf("while the page changed, what was typed became %+v", at)
	}

	s.becomes(explaintest.AllSick(), errors.New("the API server is gone"))
	page.Await("the reason why the data is old", `document.body.innerText.includes("the API server is gone")`)
	if !strings.Contains(page.Text(), "60 machines") {
		t.Error("what was known is not shown any more")
	}
	s.becomes(explaintest.Eleven(), nil)
	page.Await("new data", `document.body.innerText.includes("11 machines") && !document.body.innerText.includes("the API server is gone")`)
}

// connected is true on a page with live updates.
const connected = `document.querySelector("#live").dataset.state === "live"`

// TestLostConnection: a page says that it has lost its connection, and recovers by itself.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, explaintest.Eleven())
	page := chromium.Page(t, browser.Options{})
	page.Expect("ERR_") // what Chromium logs about a server that is gone
	page.Open(s.address + "/")
	page.Await("the connection", connected)
	s.cut()
	page.Await("the loss", `/lost/i.test(document.querySelector("#live").innerText)`)
	for _, dark := range []bool{false, true} {
		page.Theme(dark)
		for _, barrier := range page.Barriers(axe) {
			t.Errorf("cut off, dark=%t: %s", dark, barrier)
		}
	}
	s.becomes(explaintest.AllSick(), nil)
	s.mend(t)
	page.Await("the connection again", connected+` && document.body.innerText.includes("60 machines")`)
}

// TestNothingRead: before the first successful look, the page says why it shows nothing; then it shows the fleet at
// once.
func TestNothingRead(t *testing.T) {
	t.Parallel()
	s := serve(t, empty())
	s.becomes(empty(), errors.New("you may not list Machines"))
	page := chromium.Page(t, browser.Options{})
	page.Expect("503")
	page.Open(s.address + "/")
	page.Await("the reason", `document.body.innerText.includes("you may not list Machines")`)
	page.Open(s.still(t) + "/")
	page.Await("the same", `document.body.innerText.includes("you may not list Machines")`)
	for _, barrier := range page.Barriers(axe) {
		t.Errorf("with nothing read: %s", barrier)
	}
	page.Open(s.address + "/")
	s.becomes(explaintest.Eleven(), nil)
	page.Await("the fleet", `document.body.innerText.includes("11 machines")`)
}
