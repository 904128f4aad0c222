package cli

import (
	"fmt"
	"html"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var markup = regexp.MustCompile(`<[^>]*>`)

// TestDashboard: the pages say the same as sickbay status and explain.
func TestDashboard(t *testing.T) {
	s := sickFleet(t)
	address := s.dashboard()
	page := func(path ...string) string {
		t.Helper()
		response, err := http.Get(address.JoinPath(path...).String())
		status, body := read(t, response, err)
		if status != http.StatusOK {
			t.Errorf("%v answers %d: %s", path, status, body)
		}
		return html.UnescapeString(markup.ReplaceAllString(body, ""))
	}
	compare := func(page, said string) {
		t.Helper()
		if !strings.Contains(page, said) {
			t.Errorf("the page does not say %q:\n%s", said, page)
		}
	}
	compare(page("/"), firstLine(s.run("status", atOnce).stdout))
	for _, machine := range []string{"metal-1", "metal-2", "metal-3"} {
		said, _ := strings.CutPrefix(firstLine(s.run("explain", machine, atOnce).stdout), machine+": ")
		// Durations may have changed since.
		_, said, _ = strings.Cut(said, ", ")
		compare(page("machines", s.ns, machine), said)
	}
	compare(page("history"), "1 repair, 1 open")
}

// TestDashboardPort: a port that cannot be used is an error at once.
func TestDashboardPort(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	s.says(s.run("dashboard", "--port", fmt.Sprint(port)), exitFailure, fmt.Sprintf("--port %d cannot be used: listen tcp 127.0.0.1:%d: bind: address already in use", port, port))
	s.says(s.run("dashboard", "--port", "70000"), exitUsage, "--port is 70000: it must be from 0 to 65535")
}
