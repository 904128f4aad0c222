package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

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

// lookPeriod is the interval at which Await checks a page.
const lookPeriod = 20 * time.Millisecond

// Await waits until an expression is true in the page. Meanwhile, the page may load another page.
func (p *Page) Await(what, expression string) {
	p.t.Helper()
	p.AwaitWithin(Patience, what, expression)
}

// AwaitWithin is Await with its own time limit.
func (p *Page) AwaitWithin(patience time.Duration, what, expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	look := time.NewTicker(lookPeriod)
	defer look.Stop()
	for {
		// Between two pages the check fails, and before the page is complete it may lack what the expression needs.
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`(() => { try { return !!(`+expression+`) } catch { return false } })()`))
		if err == nil && is {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			p.t.Fatalf("waiting for %s: %v; the page is\n%s", what, errors.Join(ctx.Err(), err), Eval[string](p, `location.href + "\n" + document.body.innerText`))
		}
	}
}
