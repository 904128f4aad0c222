package cli

import (
	"bufio"
	"context"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// dashboard runs the dashboard until the test ends, and returns the address that it prints.
func (s *shell) dashboard(args ...string) *url.URL {
	s.t.Helper()
	printed, stdout := io.Pipe()
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan int, 1)
	go func() {
		code := execute(ctx, newRoot("sickbay"), append([]string{"dashboard", "--connect-timeout=100ms", "--kubeconfig", s.kubeconfig, "-n", s.ns}, args...), stdout, stdout)
		_ = stdout.Close()
		ended <- code
	}()
	s.t.Cleanup(func() {
		cancel()
		if code := <-ended; code != exitOK {
			s.t.Errorf("the dashboard ends with %d", code)
		}
	})
	lines := bufio.NewReader(printed)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			s.t.Fatalf("printed %q, %v", line, err)
		}
		if found := regexp.MustCompile(`http://\S+`).FindString(line); found != "" {
			go func() { _, _ = io.Copy(io.Discard, lines) }()
			address, err := url.Parse(found)
			if err != nil {
				s.t.Fatal(err)
			}
			return address
		}
	}
}

// read returns a page as text.
func read(t *testing.T, response *http.Response, err error) (status int, body string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// TestDashboardActs: the pages act as the person who runs the command, and only people with the whole address see them.
func TestDashboardActs(t *testing.T) {
	s := newShell(t)
	r := s.admit(s.machine("metal-3"), replace)
	address := s.dashboard("--actions")
	bare := url.URL{Scheme: address.Scheme, Host: address.Host, Path: "/"}
	stranger, err := http.Get(bare.String())
	if status, body := read(t, stranger, err); status != http.StatusUnauthorized {
		t.Errorf("without the key it answers %d: %s", status, body)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	person := &http.Client{Jar: jar}
	first, err := person.Get(address.String())
	if status, body := read(t, first, err); status != http.StatusOK || first.Request.URL.RawQuery != "" || !strings.Contains(body, "You act as admin") {
		t.Errorf("with the key %s answers %d: %s", first.Request.URL, status, body)
	}
	page, err := person.Get(bare.JoinPath("machines", s.ns, "metal-3").String())
	if status, body := read(t, page, err); status != http.StatusOK || !strings.Contains(body, `action="/act/approve"`) {
		t.Errorf("the machine's page answers %d: %s", status, body)
	}
	act := bare.JoinPath("act", "approve").String()
	asked, err := person.PostForm(act, url.Values{"namespace": {s.ns}, "object": {"mr/" + r.Name}, "reason": {"its data is safe"}})
	_, body := read(t, asked, err)
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(body, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	done, err := person.PostForm(act, form)
	if status, body := read(t, done, err); status != http.StatusOK || !strings.Contains(body, "Written to mr/"+r.Name) {
		t.Errorf("confirmed with %v it answers %d: %s", form, status, body)
	}
	want := &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerApprove, By: "admin", Reason: "its data is safe"}
	if diff := cmp.Diff(want, s.stored(r).Spec.Decision); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

// TestDashboardOnlyShows: without --actions, the pages write nothing.
func TestDashboardOnlyShows(t *testing.T) {
	s := newShell(t)
	r := s.admit(s.machine("metal-3"), replace)
	address := s.dashboard()
	page, err := http.Get(address.JoinPath("machines", s.ns, "metal-3").String())
	if status, body := read(t, page, err); status != http.StatusOK || strings.Contains(body, "/act/") || !strings.Contains(body, "Read only") {
		t.Errorf("the machine's page answers %d: %s", status, body)
	}
	refused, err := http.PostForm(address.JoinPath("act", "approve").String(), url.Values{"namespace": {s.ns}, "object": {"mr/" + r.Name}})
	if status, body := read(t, refused, err); status != http.StatusMethodNotAllowed || s.stored(r).Spec.Decision != nil {
		t.Errorf("it answers %d: %s", status, body)
	}
}
