package browser

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
)

// Patience bounds everything that a page has to do.
const Patience = 30 * time.Second

// Options are the options of a page.
type Options struct {
	// Width and Height are the size of the window; 1280 and 800 by default.
	Width, Height int64
	// Dark asks for the dark theme.
	Dark bool
	// NoScript switches JavaScript off.
	NoScript bool
	// AnyCertificate accepts any server certificate.
	AnyCertificate bool
	// Headers are sent with each request.
	Headers map[string]any
}

// Page is a tab with its own profile.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu sync.Mutex
	// opened are the origins of the addresses that were opened.
	opened []string
	// wrong is what the page did wrong, and expected is what it may do wrong.
	wrong    []string
	expected []string
}

// Page opens a tab, which closes at the end of the test.
func (b *Browser) Page(t testing.TB, o Options) *Page {
	t.Helper()
	if o.Width == 0 {
		o.Width, o.Height = 1280, 800
	}
	p := &Page{t: t}
	ctx, end := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(p.onEvent))
	p.ctx = ctx
	t.Cleanup(end)
	t.Cleanup(p.judge)
	p.must("opening a tab", chromedp.Do(ctx, chromedp.EmulateViewport(o.Width, o.Height)))
	p.Theme(o.Dark)
	if o.NoScript {
		p.must("switching scripts off", do(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	}
	if o.AnyCertificate {
		p.must("taking any certificate", do(ctx, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true}))
	}
	if o.Headers != nil {
		p.must("setting headers", do(ctx, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: o.Headers}))
	}
	return p
}

// Theme asks for the dark or the light theme, and for reduced motion.
func (p *Page) Theme(dark bool) {
	p.t.Helper()
	theme := "light"
	if dark {
		theme = "dark"
	}
	p.must("choosing the theme", do(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}))
}

// Resize changes the size of the window.
func (p *Page) Resize(width, height int64) {
	p.t.Helper()
	p.must("changing the size of the window", chromedp.Do(p.ctx, chromedp.EmulateViewport(width, height)))
}

// Open opens an address and returns the status of the answer. The tab may send requests only to servers that it has opened, even
// earlier ones: the previous page may still load something.
func (p *Page) Open(address string) int64 {
	p.t.Helper()
	p.mu.Lock()
	p.opened = append(p.opened, origin(address))
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	answer, err := chromedp.RunResponse(ctx, chromedp.Navigate(address))
	p.must("opening "+address, err)
	return answer.Status
}

// origin returns the beginning of an address, up to its path.
func origin(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host + "/"
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

// Eval returns the value of an expression in the page.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	p.must("evaluating "+expression[:min(len(expression), 100)], err)
	return value
}

// Text returns the visible text of the page.
func (p *Page) Text() string {
	p.t.Helper()
	return Eval[string](p, "document.body.innerText")
}

// TooWide returns the elements that extend beyond the window, if the page can be scrolled sideways.
func (p *Page) TooWide() []string {
	p.t.Helper()
	return Eval[[]string](p, `(() => {
		const width = document.documentElement.clientWidth
		if (document.documentElement.scrollWidth <= width) return []
		const sticksOut = e => e.getBoundingClientRect().right > width + 0.5 || (e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX === "visible")
		return [...document.querySelectorAll("body *")].filter(sticksOut).map(e => e.tagName + "." + e.className + ": " + e.textContent.trim().slice(0, 40)).slice(0, 10)
	})()`)
}

// Picture returns a screenshot of the window as a PNG, or of the whole page if whole is set.
func (p *Page) Picture(whole bool) []byte {
	p.t.Helper()
	take := chromedp.CaptureScreenshot()
	if whole {
		take = chromedp.FullScreenshot(100)
	}
	picture, err := chromedp.Run(p.ctx, take)
	p.must("taking a picture", err)
	return picture
}

func (p *Page) must(what string, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

func do[P, R any](ctx context.Context, command cdp.Command[P, R], params P) error {
	_, err := chromedp.Call(ctx, command, params)
	return err
}
