package dashboard

import (
	"context"
	markup "html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

var (
	tags    = regexp.MustCompile(`<[^>]*>`)
	href    = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	inline  = regexp.MustCompile(`(?i)<[a-z][a-z0-9]*(?:\s+[a-z-]+(?:="[^"]*")?)*\s+(?:style|on[a-z]+)=|<style|<script>`)
	heading = regexp.MustCompile(`<h1>`)
	spaces  = regexp.MustCompile(`\s+`)
)

// textOf returns the text that a person reads on a page.
func textOf(page string) string {
	return spaces.ReplaceAllString(markup.UnescapeString(tags.ReplaceAllString(page, "")), " ")
}

// TestPages follows each link on each page: all pages exist, have one heading each, and load nothing from elsewhere.
func TestPages(t *testing.T) {
	for name, facts := range map[string]*explain.Facts{
		"a few": explaintest.Past(explaintest.Eleven(), 60), "none": {}, "many": explaintest.Many(170, 9),
	} {
		t.Run(name, func(t *testing.T) {
			d := run(t, facts)
			seen, todo := map[string]bool{}, []string{"/", "/simulate?check=default/workers&limit=4"}
			for len(todo) > 0 && len(seen) < 150 {
				at := todo[0]
				todo = todo[1:]
				if at, _, _ = strings.Cut(at, "#"); at == "" || seen[at] {
					continue
				}
				seen[at] = true
				if !strings.HasPrefix(at, "/") {
					t.Errorf("there is a link to %s", at)
					continue
				}
				w := d.get(t, at)
				page := w.Body.String()
				if w.Code != http.StatusOK {
					t.Errorf("%s answers %d", at, w.Code)
				}
				if strings.HasPrefix(at, "/assets/") {
					continue
				}
				if n := len(heading.FindAllString(page, -1)); n != 1 {
					t.Errorf("%s has %d headings of the first order", at, n)
				}
				if found := inline.FindString(page); found != "" {
					t.Errorf("%s has %s, which the policy forbids", at, found)
				}
				for _, link := range href.FindAllStringSubmatch(page, -1) {
					todo = append(todo, markup.UnescapeString(link[1]))
				}
			}
		})
	}
}

// TestSameWords: the pages say the same as sickbay status and sickbay explain.
func TestSameWords(t *testing.T) {
	facts := explaintest.Past(explaintest.Eleven(), 12)
	d := run(t, facts)
	says := func(at string, all ...string) {
		t.Helper()
		page := textOf(d.get(t, at).Body.String())
		for _, want := range all {
			if !strings.Contains(page, spaces.ReplaceAllString(want, " ")) {
				t.Errorf("%s does not say %q", at, want)
			}
		}
	}
	fleet := facts.Fleet()
	says("/", fleet.Summary(), fleet.Manager)
	for _, items := range [][]explain.Item{fleet.NeedsYou, fleet.Waiting, fleet.InRepair, fleet.Paused, fleet.Unreadable} {
		for _, item := range items {
			if item.Name != "violet" {
				says("/", item.Text)
			}
		}
	}
	for _, one := range fleet.Next {
		says("/", explain.Clock(one.At, facts.Now), one.What)
	}
	for _, check := range fleet.Checks {
		says("/checks", check.Gate)
	}
	var pages []explain.Page
	for _, m := range facts.Machines {
		pages = append(pages, facts.Page(m))
		says("/machines", m.Headline(facts.Now))
	}
	for _, c := range facts.Checks {
		pages = append(pages, facts.CheckPage(c))
	}
	for _, r := range facts.Records {
		pages = append(pages, facts.RecordPage(r))
	}
	sections := map[string]string{"Machine": "machines", "MachineHealthCheck": "checks", "MachineRemediation": "records"}
	for _, page := range pages {
		at := "/" + sections[page.Kind] + "/" + page.Namespace + "/" + page.Name
		says(at, page.Headline)
		for _, row := range page.Rows {
			switch row.Label {
			case "Cluster", "Machine", "Next", "Slots":
				// They are shown as figures and links.
			case "Unless":
				says(at, page.Otherwise...)
			case "Choose", "Stop":
				for command := range strings.SplitSeq(row.Text, " | ") {
					says(at, "kubectl "+command)
				}
			default:
				says(at, row.Text)
			}
		}
		for _, one := range page.Next {
			says(at, one.What, explain.Clock(one.At, facts.Now))
		}
	}
}

// TestHostile: names and messages of objects stay text.
func TestHostile(t *testing.T) {
	const evil = "\"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u2066"
	facts := explaintest.Past(explaintest.Eleven(), 3)
	for _, m := range facts.Machines {
		m.Machine.Spec.FailureDomain, m.Machine.Status.NodeRef.Name = evil, evil
		for i := range m.Machine.Status.Conditions {
			m.Machine.Status.Conditions[i].Message, m.Machine.Status.Conditions[i].Reason = evil, evil
		}
	}
	facts.Machines[0].Machine.Name = evil
	for _, r := range facts.Records {
		r.Record.Spec.Finding.Message, r.Record.Spec.Finding.Reason = evil, evil
		for i := range r.Record.Status.Attempts {
			r.Record.Status.Attempts[i].Message = evil
		}
		for i := range r.Record.Status.Conditions {
			r.Record.Status.Conditions[i].Message = evil
		}
	}
	facts.Clusters[0].Unreadable, facts.Manager.Name = evil, evil
	d := run(t, facts)
	asked := url.QueryEscape(evil)
	for _, at := range []string{
		"/", "/machines", "/machines?q=" + asked + "&zone=" + asked, "/clusters", "/checks", "/history?q=" + asked, "/next", "/machines/default/metal-1", "/records/default/metal-1-5f2c9d1e-1",
		"/machines/default/" + url.PathEscape(evil), "/simulate?check=" + asked, "/simulate?check=default/workers&limit=" + asked, "/nowhere/" + url.PathEscape(evil),
	} {
		page := d.get(t, at).Body.String()
		if strings.Contains(page, "<script>") || strings.Contains(page, "<img src=x") || inline.MatchString(page) || strings.ContainsAny(page, "\u202e\u2066") {
			t.Errorf("%s takes a name for markup: %s", at, inline.FindString(page))
		}
	}
}

// TestHeaders: browsers must load nothing from elsewhere, and run no inline scripts.
func TestHeaders(t *testing.T) {
	d := run(t, explaintest.Eleven())
	for _, at := range []string{"/", "/machines/default/none", "/assets/app.css"} {
		h := d.get(t, at).Header()
		if h.Get("Content-Security-Policy") != policy || strings.Contains(policy, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s has %v", at, h)
		}
	}
	if cached := d.get(t, "/").Header().Get("Cache-Control"); cached != "no-store" {
		t.Errorf("a page is kept: %q", cached)
	}
	if w := d.get(t, "/machines/default/none"); w.Code != http.StatusNotFound {
		t.Errorf("a machine that is not there answers %d", w.Code)
	}
	w := d.get(t, "/assets/app.css")
	if w.Header().Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("the style sheet is %v", w.Header())
	}
}

// TestPlaysOwnersOfHealthyMachines: whether the owner of a machine that falls sick only in the simulation replaces it is read for that.
func TestPlaysOwnersOfHealthyMachines(t *testing.T) {
	s := explaintest.New()
	s.OwnedBy(s.Healthy("m1"), clusterv1.GroupVersion.String(), "MachineSet", "ms", silence.Facts{})
	page := textOf(run(t, s.Facts()).get(t, "/simulate?check=default/workers&fail=machine/m1").Body.String())
	if !strings.Contains(page, "MachineSet ms is paused, so it replaces no machine") {
		t.Errorf("it assumes nothing of the owner: %s", page)
	}
}

// TestOnePlays: one simulation runs at a time, and none for a client that has gone.
func TestOnePlays(t *testing.T) {
	d := run(t, explaintest.Eleven())
	const address = "/simulate?check=default/workers&limit=100%25"
	if page := textOf(d.get(t, address).Body.String()); !strings.Contains(page, "repairs would begin on 3 of 3") {
		t.Fatalf("it plays nothing: %s", page)
	}
	d.playing <- struct{}{}
	w := httptest.NewRecorder()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	d.handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, address, nil))
	if page := textOf(w.Body.String()); !strings.Contains(page, "another simulation is running") {
		t.Errorf("two are playing at once: %s", page)
	}
	<-d.playing
	if page := textOf(d.get(t, address).Body.String()); !strings.Contains(page, "repairs would begin on 3 of 3") {
		t.Errorf("it plays nothing afterwards: %s", page)
	}
}
