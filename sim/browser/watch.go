package browser

import (
	"fmt"
	"slices"
	"strings"

	devtools "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// Expect allows what no page may do if its description contains the text: a log entry, an exception or a request.
func (p *Page) Expect(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, text)
}

// onEvent records what no page may do. It must not call the browser.
func (p *Page) onEvent(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.asks(e.Request.URL)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		p.note("an exception: " + text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			p.note("console: " + words(e.Args))
		}
	case *devtools.EventEntryAdded:
		if e.Entry.Level == devtools.EntryLevelError || e.Entry.Level == devtools.EntryLevelWarning {
			p.note(fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	}
}

func words(args []*runtime.RemoteObject) string {
	var all []string
	for _, arg := range args {
		all = append(all, string(arg.Value)+arg.Description)
	}
	return strings.Join(all, " ")
}

func (p *Page) asks(address string) {
	p.mu.Lock()
	ours := slices.ContainsFunc(p.opened, func(origin string) bool { return strings.HasPrefix(address, origin) })
	p.mu.Unlock()
	if ours || address == "about:blank" || strings.HasPrefix(address, "data:") {
		return
	}
	p.note("a request to " + address)
}

func (p *Page) note(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrong = append(p.wrong, what)
}

// Wrong returns what the page has done so far that no page may do.
func (p *Page) Wrong() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.wrong), func(what string) bool {
		return slices.ContainsFunc(p.expected, func(text string) bool { return strings.Contains(what, text) })
	})
}

func (p *Page) judge() {
	for _, what := range p.Wrong() {
		p.t.Errorf("the page did what no page may do: %s", what)
	}
}
