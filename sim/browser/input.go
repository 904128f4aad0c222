package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/chromedp"
)

// Press presses keys: characters, or keys of package kb.
func (p *Page) Press(keys string, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	p.must(fmt.Sprintf("pressing %q", keys), chromedp.Do(p.ctx, chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...))))
}

// Click clicks on the first element that a CSS selector matches, once it is visible.
func (p *Page) Click(selector string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	p.must("clicking on "+selector, chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector))))
}

// Type replaces the text in the field that a CSS selector matches.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	p.must("typing into "+selector, chromedp.Do(ctx, chromedp.Clear(chromedp.CSS(selector)), chromedp.SendKeys(chromedp.CSS(selector), text)))
}
