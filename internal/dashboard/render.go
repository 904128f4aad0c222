package dashboard

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
	"github.com/sickbay-dev/sickbay/internal/explain"
)

// frame is a page with its layout.
type frame struct {
	Title, Section string
	// Finds reports that the page has a search of its own.
	Finds bool
	// Path is the path of the page, with its query.
	Path string
	// Version is the version of the data; At and Now are when it was read and when the page was rendered.
	Version, At, Clock, Now, Age string
	Manager                      string
	// Idle reports that no manager leads.
	Idle bool
	// Problem is why there is no newer data, and Since for how long that has been so.
	Problem, Since string
	// Acts reports that forms can be used, and SignedIn that the person can sign out. Viewer is the person's name.
	Acts, SignedIn bool
	Viewer         string
	Main           any
}

// parse parses the templates: each page is the layout with its own main part.
func parse() (map[string]*template.Template, error) {
	layout, err := template.New("layout.html").Funcs(functions).ParseFS(embedded, "templates/layout.html", "templates/parts.html")
	if err != nil {
		return nil, err
	}
	entries, err := embedded.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	pages := map[string]*template.Template{}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), path.Ext(entry.Name()))
		if name == "layout" || name == "parts" || name == "signin" {
			continue
		}
		page, err := layout.Clone()
		if err == nil {
			page, err = page.ParseFS(embedded, "templates/"+entry.Name())
		}
		if err != nil {
			return nil, err
		}
		pages[name] = page
	}
	return pages, nil
}

var functions = template.FuncMap{
	"asset":    assetURL,
	"link":     linkURL,
	"machines": machinesURL,
	"history":  historyURL,
	"paged":    func(path string, page int) string { return path + "?page=" + strconv.Itoa(page) },
	"state":    func(s explain.State) view.Query { return view.Query{State: string(s)} },
	"short":    view.Short,
	"class":    view.Class,
	"cell":     func(c view.Cell) string { return machinesURL(c.Query()) },
	"number":   explain.Number,
	"count":    explain.Count,
	"seconds":  explain.Seconds,
	"part":     func(part string) string { return partWords[part] },
	"lower":    func(s any) string { return strings.ToLower(fmt.Sprint(s)) },
	"title":    func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
	"headline": splitHeadline,
	"items": func(id, title string, list view.List[view.Item], href string, urgent bool) items {
		return items{id, title, list, href, urgent}
	},
	"pager":   func(p view.Pages, previous, following string) pager { return pager{p, previous, following} },
	"gatebar": func(g *view.GateDrawing, thin bool) gatebar { return gatebar{g, thin} },
}

// partWords say which part of a repair explain.Times are about.
var partWords = map[string]string{"admit": "until admitted", "act": "until the first action", "heal": "from then until healthy", "all": "total"}

// Data of parts of pages, besides those of package view.
type (
	items struct {
		ID, Title string
		List      view.List[view.Item]
		Href      string
		Urgent    bool
	}
	pager struct {
		Pages               view.Pages
		Previous, Following string
	}
	gatebar struct {
		Drawing *view.GateDrawing
		Thin    bool
	}
	headline struct{ First, Rest string }
)

// splitHeadline splits off the words in capital letters at the beginning of a headline; there may be none.
func splitHeadline(text string) headline {
	n := 0
	for word := range strings.SplitSeq(text, " ") {
		if len(word) < 2 || strings.ToUpper(word) != word || strings.ToLower(word) == word {
			break
		}
		n += len(word) + 1
	}
	first := strings.TrimRight(text[:max(0, min(n, len(text)+1)-1)], ",;:.")
	return headline{first, text[len(first):]}
}

// linkURL returns the address of an object's page.
func linkURL(l view.Link) string {
	return "/" + l.Section + "/" + url.PathEscape(l.Namespace) + "/" + url.PathEscape(l.Name)
}

// render writes a page. It renders the whole page first, so an error never cuts a page in half.
func (d *Dashboard) render(w http.ResponseWriter, r *http.Request, status int, name string, f frame) {
	f.Path, f.Acts, f.SignedIn = r.URL.RequestURI(), d.options.Actions != nil, signedIn(r)
	if d.options.Viewer != nil {
		f.Viewer = d.options.Viewer(r)
	}
	var out bytes.Buffer
	if err := d.pages[name].Execute(&out, f); err != nil {
		http.Error(w, "this page cannot be rendered: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(bytes.Map(inOrder, out.Bytes()))
}

// inOrder replaces the characters that would make the browser reverse or reorder what follows: names and messages must not
// reorder the rest of a page.
func inOrder(r rune) rune {
	if (r >= '\u202a' && r <= '\u202e') || (r >= '\u2066' && r <= '\u2069') {
		return '\ufffd'
	}
	return r
}

// frameOf returns the frame of a page about a snapshot.
func (d *Dashboard) frameOf(s snapshot, section, title string) frame {
	now := d.options.Clock.Now()
	f := frame{Title: title, Section: section, Now: now.UTC().Format(time.RFC3339Nano)}
	if s.look != nil {
		f.Version, f.At, f.Age = s.look.Version, s.at.UTC().Format(time.RFC3339Nano), view.Span(max(0, now.Sub(s.at)))
		f.Clock = explain.Clock(s.at, now)
		f.Manager, f.Idle = s.look.Fleet.Manager, s.look.Idle()
	}
	if s.err != nil {
		f.Problem, f.Since = s.err.Error(), view.Span(max(0, now.Sub(s.since)))
	}
	return f
}
