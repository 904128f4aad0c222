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

// defaultMaxBody is how much of a body is read, in bytes, if an HTTPProbe does not say.
const defaultMaxBody = 64 << 10

// maxRedirects is how many redirects are followed in a row.
const maxRedirects = 10

// HTTPProbe is how an HTTP endpoint is asked, and what its answer must be. The zero value
// is good: a GET, answered by a status from 200 to 299.
type HTTPProbe struct {
	// Timeout bounds the request and its whole answer. The default is 5 seconds.
	Timeout time.Duration
	// Interval is how often it is asked: see healthcheck.NamedCheck. An address from the status of the
	// object may be that much late. The default is 30 seconds.
	Interval time.Duration
	// Method is that of the request. The default is GET.
	Method string
	// Header is sent, to the host of the URL alone.
	Header http.Header
	// Status reports whether a status is good. The default is 200 to 299.
	Status func(code int) bool
	// Body, if set, says what is wrong with the body of an answer whose status is good; nil
	// if nothing is. Its text must be the same for the same problem. Without it the body is
	// not read.
	Body func(body []byte) error
	// MaxBody is how much of the body is read for Body, in bytes; the rest is left. The
	// default is 64 KiB.
	MaxBody int64
	// FollowElsewhere follows redirects to another scheme, host or port. Without it such a
	// redirect is the answer, with its status. Those to the same are always followed.
	FollowElsewhere bool
	// Transport carries out the request, such as one that trusts an authority of your own.
	// The default makes a connection for each request, and keeps none.
	Transport http.RoundTripper
}

// BodyMatches is for HTTPProbe.Body: the body must match.
func BodyMatches(pattern *regexp.Regexp) func(body []byte) error {
	problem := errors.New("it does not match " + pattern.String())
	return func(body []byte) error {
		if !pattern.Match(body) {
			return problem
		}
		return nil
	}
}

// HTTP is a check of the answer of an HTTP endpoint. Find returns its URL; an empty one is
// False with ReasonNotFound, or what an option says.
//
// It is False if the endpoint does not answer in time (ReasonUnreachable), has a
// certificate that is not trusted (ReasonNotTrusted), or answers with another status or
// body than it should (ReasonUnexpectedStatus, ReasonUnexpectedBody), and if the URL is
// none (ReasonBadAddress). The message names the host: the rest of a URL often has secrets
// in it. A single lost packet is no outage: see healthcheck.ConditionChecks.Damping.
//
// The URL decides where this process sends requests, and its author learns the status of
// the answer. Check it first if it comes from people you do not trust.
func HTTP[T any](name string, find func(T) string, probe HTTPProbe, options ...Option) healthcheck.NamedCheck[T] {
	if probe.Transport == nil {
		probe.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: defaultMaxBody,
		}
	}
	ask := func(ctx context.Context, _ healthcheck.Input[T], address string) healthcheck.Result {
		return probe.ask(ctx, address)
	}
	return endpoint(name, kindHTTP, probe.Timeout, probe.Interval, options, find, ask)
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
	defer func() { _ = resp.Body.Close() }() // It may have more than was read.
	return p.judge(u.Host, resp)
}

// redirect decides about one redirect.
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
	// What was said to one host is not for another. The referer is the whole URL.
	for key := range p.Header {
		req.Header.Del(key)
	}
	req.Header.Del("Referer")
	return nil
}

// judge looks at the status, and then at the body.
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
		return unhealthy(ReasonUnexpectedBody, "%s answers with another body than it should: %s", host, StableError(err))
	}
	return healthy()
}
