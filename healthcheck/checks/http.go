package checks

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// defaultMaxBody is the default of HTTPProbe.MaxBody, in bytes.
const defaultMaxBody = 64 << 10

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 10

// HTTPProbe holds the settings of HTTP, and what the answer must be. The zero value sends a GET and
// requires a status from 200 to 299.
type HTTPProbe struct {
	// Timeout is the timeout for the request and its whole answer. The default is 5 seconds.
	Timeout time.Duration
	// Interval is how often to probe: see healthcheck.NamedCheck. A changed address in the object's
	// status may be noticed that much later. The default is 30 seconds.
	Interval time.Duration
	// Method is the method of the request. The default is GET.
	Method string
	// Header is sent with the request, but only to the scheme, host and port of the URL.
	Header http.Header
	// Status reports whether a status is good. The default is 200 to 299.
	Status func(code int) bool
	// Body, if set, judges the body of an answer whose status is good. It returns what is wrong, or
	// nil. The error's text must be the same for the same problem. If Body is nil, the body is not
	// read.
	Body func(body []byte) error
	// MaxBody is how much of the body is read for Body, in bytes; the rest is ignored. The default
	// is 64 KiB.
	MaxBody int64
	// FollowElsewhere also follows redirects to another scheme, host or port. Without it, such a
	// redirect is itself the answer, with its status. Redirects to the same scheme, host and port
	// are always followed.
	FollowElsewhere bool
	// Transport sends the request; set it, for example, to trust your own authority. The default
	// opens a connection for each request, and keeps none.
	Transport http.RoundTripper
}

// BodyMatches returns an HTTPProbe.Body that requires the body to match the pattern.
func BodyMatches(pattern *regexp.Regexp) func(body []byte) error {
	problem := errors.New("it does not match " + pattern.String())
	return func(body []byte) error {
		if !pattern.Match(body) {
			return problem
		}
		return nil
	}
}

// HTTP checks the answer of an HTTP endpoint. Find returns its URL; an empty one is False with
// ReasonNotFound, or what an option says.
//
// It is False if the endpoint does not answer in time (ReasonUnreachable), has a certificate that
// is not trusted (ReasonNotTrusted), or gives an unexpected answer (ReasonUnexpectedStatus,
// ReasonUnexpectedBody), or if the URL is invalid (ReasonBadAddress). The message contains only the
// host, because the rest of a URL often contains secrets. A single lost packet is no outage: see
// healthcheck.ConditionChecks.Damping.
//
// The URL decides where this process sends requests, and its author learns the status of the
// answer. Validate it first if it comes from people you do not trust.
func HTTP[T any](name string, find func(T) string, probe HTTPProbe, options ...Option) healthcheck.NamedCheck[T] {
	if probe.Transport == nil {
		probe.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: defaultMaxBody,
		}
	}
	ask := func(ctx context.Context, _ healthcheck.Input[T], address string) healthcheck.Result {
		return probe.ask(ctx, address)
	}
	return also(endpoint(name, kindHTTP, probe.Timeout, probe.Interval, options, find, ask), probe.validate())
}

const kindHTTP = "an HTTP endpoint"

// ask sends one request and judges the answer.
func (p HTTPProbe) ask(ctx context.Context, address string) healthcheck.Result {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return badAddress(kindHTTP)
	}
	req, err := http.NewRequestWithContext(ctx, p.Method, address, nil)
	if err != nil {
		return badAddress(kindHTTP)
	}
	for key, values := range p.Header {
		req.Header[http.CanonicalHeaderKey(key)] = values
	}
	req.Host = cmp.Or(req.Header.Get("Host"), req.Host)
	c := http.Client{Transport: p.Transport, CheckRedirect: p.redirect}
	resp, err := c.Do(req)
	if err != nil {
		return unanswered(u.Host, err)
	}
	defer func() { _ = resp.Body.Close() }() // The body may be longer than was read.
	return p.judge(u.Host, resp)
}

// redirect decides whether to follow one redirect.
func (p HTTPProbe) redirect(req *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return http.ErrUseLastResponse
	}
	if from := via[0].URL; req.URL.Scheme == from.Scheme && strings.EqualFold(req.URL.Host, from.Host) {
		return nil
	}
	if !p.FollowElsewhere {
		return http.ErrUseLastResponse
	}
	// Headers for one host are not for another. The referer is the whole URL.
	for key := range p.Header {
		req.Header.Del(key)
	}
	req.Header.Del("Referer")
	return nil
}

// judge judges the status, and then the body.
func (p HTTPProbe) judge(host string, resp *http.Response) healthcheck.Result {
	good := p.Status
	if good == nil {
		good = func(code int) bool { return code >= 200 && code <= 299 }
	}
	if !good(resp.StatusCode) {
		text := ""
		if resp.StatusCode >= 300 && resp.StatusCode <= 399 && resp.Header.Get("Location") != "" {
			text = ", a redirect that is not followed"
		}
		return unhealthy(ReasonUnexpectedStatus, "%s answers with status %d%s", host, resp.StatusCode, text)
	}
	if p.Body == nil {
		return healthy()
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, cmp.Or(p.MaxBody, defaultMaxBody)))
	if err != nil {
		return unanswered(host, err)
	}
	if err := p.Body(body); err != nil {
		return unhealthy(ReasonUnexpectedBody, "%s answers with an unexpected body: %s", host, StableError(err))
	}
	return healthy()
}
