package dashboard_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/sim/browser"
)

// focused describes the element with the focus, and whether the focus is visible.
const focused = `(() => {
	const e = document.activeElement, s = getComputedStyle(e)
	return {text: (e.innerText || e.value || e.placeholder || "").trim(), href: e.getAttribute("href") || "", id: e.id, tag: e.tagName,
		seen: e.matches(":focus-visible") && ((s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== "none"),
		inside: e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().left >= 0}
})()`

type focus struct {
	Text, Href, ID, Tag string
	Seen, Inside        bool
}

// tabTo presses Tab until a matching element has the focus. The focus must be visible on the whole way.
func tabTo(t *testing.T, page *browser.Page, what string, matches func(focus) bool) {
	t.Helper()
	for range 100 {
		page.Press(kb.Tab)
		at := browser.Eval[focus](page, focused)
		if at.Tag == "BODY" {
			break
		}
		if !at.Seen || !at.Inside {
			t.Errorf("the focus on %+v cannot be seen", at)
		}
		if matches(at) {
			return
		}
	}
	t.Fatalf("%s is not reached by the keyboard", what)
}

// TestKeyboard: without a mouse, a person can skip to the content, find a machine, read about it, and go
// back.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s := serve(t, explaintest.Eleven())
	page := chromium.Page(t, browser.Options{})
	page.Open(s.address + "/")
	page.Press(kb.Tab)
	if first := browser.Eval[focus](page, focused); !strings.Contains(strings.ToLower(first.Text), "skip") || !first.Seen || !first.Inside {
		t.Errorf("the first thing that gets the focus is %+v", first)
	}
	page.Press(kb.Enter)
	page.Await("the main part", `location.hash === "#main"`)
	tabTo(t, page, "a machine", func(f focus) bool { return strings.HasPrefix(f.Href, "/machines/default/metal-1") })
	page.Press(kb.Enter)
	page.Await("the page of the machine", `location.pathname === "/machines/default/metal-1" && document.querySelector("h1").innerText.includes("metal-1")`)
	page.Press(kb.ArrowLeft, kb.ModifierAlt)
	browser.Eval[bool](page, `history.back() || true`)
	page.Await("the fleet again", `location.pathname === "/"`)

	page.Open(s.address + "/machines")
	tabTo(t, page, "the filter", func(f focus) bool { return f.ID == "q" })
	page.Press("md-0-b")
	page.Press(kb.Enter)
	page.Await("what was found", `location.search.includes("q=md-0-b") && document.querySelector("main").innerText.includes("md-0-b")`)
	tabTo(t, page, "the machine that was found", func(f focus) bool { return f.Href == "/machines/default/md-0-b" })
}
