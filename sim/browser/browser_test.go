package browser_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/sickbay-dev/sickbay/sim/browser"
)

var (
	chromium *browser.Browser
	axe      string
)

func TestMain(m *testing.M) {
	os.Exit(browser.Main(m, func(b *browser.Browser, script string) { chromium, axe = b, script }))
}

// serve serves a page with this body, under a policy that allows only what the server itself has.
func serve(t *testing.T, body string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:")
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(`<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,"><main><h1>A page</h1>` + body + `</main>`))
		case "/script.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(`setTimeout(() => document.querySelector("h1").textContent = "Another one", 50)`))
		case "/lingers.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(`setInterval(() => fetch("/"), 1)`))
		case "/throws.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(`console.error("it hurts"); nothing.there()`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// TestNothingWrong: a page that does nothing wrong can be read and followed, and has no barriers.
func TestNothingWrong(t *testing.T) {
	page := chromium.Page(t, browser.Options{})
	if status := page.Open(serve(t, `<p>Words</p><a href="/?more">More</a><script src="/script.js"></script>`).URL + "/"); status != http.StatusOK {
		t.Errorf("the page answers %d", status)
	}
	page.Await("the script", `document.querySelector("h1").textContent === "Another one"`)
	if text := page.Text(); !strings.Contains(text, "Words") {
		t.Errorf("the page reads %q", text)
	}
	if found := page.Barriers(axe); len(found) > 0 {
		t.Errorf("axe-core finds %q", found)
	}
	if found := page.TooWide(); len(found) > 0 {
		t.Errorf("too wide are %q", found)
	}
	page.Press(kb.Tab)
	page.Press(kb.Enter)
	page.Await("the next page", `location.search === "?more"`)
}

// TestPageLingers: a page may still ask its own server for something when the tab opens the next one.
func TestPageLingers(t *testing.T) {
	page := chromium.Page(t, browser.Options{})
	page.Open(serve(t, `<script src="/lingers.js"></script>`).URL + "/")
	page.Open(serve(t, `<p>Words</p>`).URL + "/")
	page.Await("the next page", `document.body.innerText.includes("Words")`)
}

// TestWithoutScripts: with scripts switched off, none runs.
func TestWithoutScripts(t *testing.T) {
	page := chromium.Page(t, browser.Options{NoScript: true})
	page.Open(serve(t, `<noscript>Nothing moves</noscript><script src="/throws.js"></script>`).URL + "/")
	if text := page.Text(); !strings.Contains(text, "Nothing moves") {
		t.Errorf("the page reads %q", text)
	}
}

// TestWrong: each thing that no page may do is detected.
func TestWrong(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"console":        {`<script src="/throws.js"></script>`, "it hurts"},
		"exception":      {`<script src="/throws.js"></script>`, "nothing is not defined"},
		"inline script":  {`<script>window.x = 1</script>`, "Content Security Policy"},
		"inline style":   {`<p style="color: red">x</p>`, "Content Security Policy"},
		"not there":      {`<img src="/nowhere.png" alt="nothing">`, "404"},
		"another server": {`<img src="http://127.0.0.2:1/x.png" alt="nothing">`, "Content Security Policy"},
	} {
		t.Run(name, func(t *testing.T) {
			page := chromium.Page(t, browser.Options{})
			page.Open(serve(t, tt.body).URL + "/")
			page.Await("everything", `document.readyState === "complete"`)
			if found := strings.Join(page.Wrong(), "\n"); !strings.Contains(found, tt.want) {
				t.Errorf("%q is not found in %q", tt.want, found)
			}
			page.Expect("")
		})
	}
}

// TestBarriers: barriers and elements that are too wide are detected.
func TestBarriers(t *testing.T) {
	page := chromium.Page(t, browser.Options{Width: 320, Height: 640})
	page.Open(serve(t, `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><pre>`+strings.Repeat("w", 200)+`</pre>`).URL + "/")
	if found := strings.Join(page.Barriers(axe), "\n"); !strings.Contains(found, "image-alt") {
		t.Errorf("the image without words is not found: %s", found)
	}
	if found := strings.Join(page.TooWide(), "\n"); !strings.Contains(found, "PRE") {
		t.Errorf("what is too wide is not found: %s", found)
	}
}
