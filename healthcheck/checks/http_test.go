package checks_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// site is a server that records its requests.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked []*http.Request
}

// host returns the name of the site in messages.
func (s *site) host() string { return s.Listener.Addr().String() }

// secret returns a URL of the site with secrets in it.
func (s *site) secret(path string) string {
	return strings.Replace(s.URL, "://", "://user:s3cret@", 1) + path + "?token=s3cret#s3cret"
}

func serve(t *testing.T, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r)
		s.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// pages answers as the path of the request says.
func pages(elsewhere string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
			_, _ = w.Write([]byte("all is well"))
		case "/broken":
			http.Error(w, "s3cret", http.StatusInternalServerError)
		case "/here":
			http.Redirect(w, r, "/ok", http.StatusFound)
		case "/elsewhere":
			http.Redirect(w, r, elsewhere+"/ok", http.StatusFound)
		case "/circle":
			http.Redirect(w, r, "/circle", http.StatusFound)
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("all"))
		case "/reset":
			conn, _, _ := w.(http.Hijacker).Hijack()
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		case "/endless":
			for chunk := bytes.Repeat([]byte("well "), 1000); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		case "/slow":
			<-r.Context().Done()
		}
	}
}

func TestHTTP(t *testing.T) {
	other := serve(t, pages(""))
	home := serve(t, pages(other.URL))
	gone := serve(t, pages(""))
	gone.Close()
	secure := httptest.NewTLSServer(pages(""))
	defer secure.Close()
	teapot := func(code int) bool { return code == http.StatusTeapot }
	well := checks.BodyMatches(regexp.MustCompile("^all is well$"))
	long := func(body []byte) error {
		if len(body) != 64<<10 {
			return fmt.Errorf("%d bytes were read", len(body))
		}
		return nil
	}
	status := func(text string) healthcheck.Result {
		return fails(checks.ReasonUnexpectedStatus, home.host()+" answers with status "+text)
	}
	unreachable := func(text string) healthcheck.Result {
		return fails(checks.ReasonUnreachable, home.host()+" "+text)
	}
	bad := fails(checks.ReasonBadAddress, "The address of an HTTP endpoint is invalid")
	tests := map[string]struct {
		address string
		probe   checks.HTTPProbe
		want    healthcheck.Result
	}{
		"good":               {home.secret("/ok"), checks.HTTPProbe{}, passes},
		"good body":          {home.secret("/ok"), checks.HTTPProbe{Body: well}, passes},
		"wrong body":         {home.secret("/"), checks.HTTPProbe{Body: well}, fails(checks.ReasonUnexpectedBody, home.host()+" answers with an unexpected body: it does not match ^all is well$")},
		"broken":             {home.secret("/broken"), checks.HTTPProbe{Body: well}, status("500")},
		"no teapot":          {home.secret("/ok"), checks.HTTPProbe{Status: teapot}, status("200")},
		"redirect":           {home.secret("/here"), checks.HTTPProbe{Body: well}, passes},
		"elsewhere":          {home.secret("/elsewhere"), checks.HTTPProbe{}, status("302, a redirect that is not followed")},
		"elsewhere, asked":   {home.secret("/elsewhere"), checks.HTTPProbe{FollowElsewhere: true, Body: well}, passes},
		"elsewhere, wanted":  {home.secret("/elsewhere"), checks.HTTPProbe{Status: func(code int) bool { return code == http.StatusFound }}, passes},
		"in a circle":        {home.secret("/circle"), checks.HTTPProbe{}, status("302, a redirect that is not followed")},
		"endless":            {home.secret("/endless"), checks.HTTPProbe{}, passes},
		"endless, looked at": {home.secret("/endless"), checks.HTTPProbe{Body: long}, passes},
		"a part":             {home.secret("/ok"), checks.HTTPProbe{MaxBody: 3, Body: checks.BodyMatches(regexp.MustCompile("^all$"))}, passes},
		"cut off":            {home.secret("/cut"), checks.HTTPProbe{Body: well}, unreachable("closes connections early")},
		"reset":              {home.secret("/reset"), checks.HTTPProbe{}, unreachable("closes connections early")},
		"slow":               {home.secret("/slow"), checks.HTTPProbe{Timeout: 100 * time.Millisecond}, unreachable("does not answer in time")},
		"gone":               {gone.secret("/ok"), checks.HTTPProbe{}, fails(checks.ReasonUnreachable, gone.host()+" refuses connections")},
		"stranger":           {secure.URL, checks.HTTPProbe{}, fails(checks.ReasonNotTrusted, strings.TrimPrefix(secure.URL, "https://")+" has a certificate that cannot be trusted: it is signed by an unknown authority")},
		"own authority":      {secure.URL, checks.HTTPProbe{Transport: secure.Client().Transport}, passes},
		"no URL":             {"http://user:s3cret@host:port", checks.HTTPProbe{}, bad},
		"no scheme":          {"s3cret", checks.HTTPProbe{}, bad},
		"another scheme":     {"file:///etc/passwd", checks.HTTPProbe{}, bad},
		"none":               {"", checks.HTTPProbe{}, healthcheck.Result{Status: healthcheck.Skipped, Reason: checks.ReasonNotFound, Message: "No address is given for an HTTP endpoint"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.probe.Timeout = patiently(tt.probe.Timeout)
			check := checks.HTTP("http", always(tt.address), tt.probe, checks.MissingIsSkipped())
			for range 2 {
				if diff := cmp.Diff(tt.want, probed(t, check)); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
		})
	}
}

// TestHTTPTellsNobodyElse: secrets for one host reach no other, neither as headers nor as referer.
func TestHTTPTellsNobodyElse(t *testing.T) {
	other := serve(t, pages(""))
	home := serve(t, pages(other.URL))
	probe := checks.HTTPProbe{
		Method: http.MethodHead, FollowElsewhere: true, Timeout: answered,
		Header: http.Header{"x-api-key": {"s3cret"}, "Host": {"shop.example.com"}, "Cookie": {"a=s3cret"}},
	}
	if got := probed(t, checks.HTTP("http", always(home.secret("/elsewhere")), probe)); got.Status != healthcheck.True {
		t.Fatalf("says %+v", got)
	}
	first, second := home.asked[0], other.asked[0]
	if first.Header.Get("X-Api-Key") != "s3cret" || first.Host != "shop.example.com" || first.Method != http.MethodHead {
		t.Errorf("it was asked %s %s %v", first.Method, first.Host, first.Header)
	}
	if all := fmt.Sprint(second.URL, second.Header); strings.Contains(all, "s3cret") || second.Host != other.host() {
		t.Errorf("the other was asked %s %s", second.Host, all)
	}
}

// TestHTTPEndsWithTheCheck: a check that runs out of time says nothing about the endpoint.
func TestHTTPEndsWithTheCheck(t *testing.T) {
	asked := make(chan struct{})
	home := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	check := checks.HTTP("http", always(home.URL), checks.HTTPProbe{Timeout: time.Hour})
	r, err := check.Check.Check(ctx, healthcheck.Input[*corev1.Namespace]{Object: shop, Now: noon})
	if err == nil || r.Status != "" {
		t.Errorf("says %+v, %v", r, err)
	}
}
