package dashboard

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/testing/sentence"
)

// FuzzQuery: the links of a page repeat its query, and no query breaks a page.
func FuzzQuery(f *testing.F) {
	for _, query := range []string{"", "q=m&page=2", "page=-1", "page=99999999999999999999", "since=24h", "since=-1h", "since=2562047h47m16.854775807s", "check=a/b&limit=1%25&fail=zone%3Da,10%25&until=1s", "%zz", "q=%ff%00", "sort=-name&state=x"} {
		f.Add(query)
	}
	look := &view.Look{Facts: &explain.Facts{}}
	f.Fuzz(func(t *testing.T, query string) {
		v, _ := url.ParseQuery(query)
		machines, history := machinesQuery(v), historyQuery(v)
		if again, err := url.Parse(machinesURL(machines)); err != nil || machinesQuery(again.Query()) != machines {
			t.Errorf("%q is %+v, which is %s (%v)", query, machines, again, err)
		}
		if again, err := url.Parse(historyURL(history)); err != nil || historyQuery(again.Query()) != history {
			t.Errorf("%q is %+v, which is %s (%v)", query, history, again, err)
		}
		look.SimulatePage(simulateQuery(v), view.Playing{Stop: func() bool { return true }})
	})
}

// FuzzNext: after signing in, a browser stays on this site.
func FuzzNext(f *testing.F) {
	for _, next := range []string{"", "/", "/machines?q=a#b", "//evil.example", "/\\evil.example", "https://evil.example", "/login", "/%2f/evil.example", "/.//evil.example", "/a/..//evil.example", "/\t/evil.example", "javascript:alert(1)"} {
		f.Add(next)
	}
	f.Fuzz(func(t *testing.T, next string) {
		got := localPath(next)
		base, _ := url.Parse("https://sickbay.example/login")
		to, err := base.Parse(got)
		if err != nil || to.Host != base.Host || to.Scheme != base.Scheme || !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") || strings.ContainsAny(got, "\\\r\n") {
			t.Errorf("%q leads to %q", next, got)
		}
	})
}

// FuzzAct: a form is refused with a clear sentence, or is a valid action; the end of a hold can be stored and read again.
func FuzzAct(f *testing.F) {
	for _, form := range []string{
		"object=mr/a&namespace=b", "object=machine/a&namespace=b&for=2h", "object=machine/a&namespace=b&for=2562047h", "object=machine/a&namespace=b&for=-1s",
		"object=machine/a&namespace=b&until=9999-12-31T23:59:59-23:59", "object=machine/a&namespace=b&until=2026-11-24T00:00:00Z", "object=/&namespace=", "object=\x00",
	} {
		f.Add(verbHold, form)
		f.Add("approve", form)
	}
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, verb, form string) {
		v, _ := url.ParseQuery(form)
		a, err := actOf(verb, v, now)
		if err != nil {
			sentence.Clear(t, err.Error(), verb, form, form, form)
			return
		}
		if verb != verbHold {
			return
		}
		stored := a.until.UTC().Format(time.RFC3339)
		if again, err := time.Parse(time.RFC3339, stored); err != nil || !again.Equal(a.until) || !a.until.After(now) {
			t.Errorf("%q is a hold until %s, which cannot be read again: %v", form, stored, err)
		}
	})
}
