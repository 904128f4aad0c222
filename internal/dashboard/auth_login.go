package dashboard

import (
	"bytes"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"k8s.io/utils/clock"
)

// Paths that are served to anybody, and the one that is served for as long as somebody watches.
const (
	loginPath  = "/login"
	logoutPath = "/logout"
	assetsPath = "/assets/"
	eventsPath = "/events"
)

const (
	// tokenCookie has the token of the person who has signed in. A browser takes a cookie of such a name over TLS alone, and sends it to this host alone.
	tokenCookie = "__Host-sickbay-token"
	// signInTime is how long a browser keeps it. A token may expire sooner.
	signInTime = 12 * time.Hour
	// maxToken is what fits into a cookie, with its name.
	maxToken = 4096 - len(tokenCookie) - 1
	// maxForm bounds what a form sends.
	maxForm = 64 << 10
	// formTimeout bounds how long it takes to send it.
	formTimeout = 10 * time.Second
)

// loginTemplate is a page of its own: a person who has not signed in sees nothing of what is around the others.
var loginTemplate = template.Must(template.New("signin.html").Funcs(functions).ParseFS(embedded, "templates/signin.html"))

// loginPage is what the sign-in page shows.
type loginPage struct {
	// Problem says why a person is asked; empty on the plain form.
	Problem string
	// Next is where to go on.
	Next string
	// Strayed reports that a link of another site led here: then a browser keeps back who has signed in.
	Strayed bool
	// Form reports that a token would help.
	Form bool
}

func (g *Guard) showLogin(w http.ResponseWriter, r *http.Request) {
	showLogin(w, http.StatusOK, loginPage{Next: localPath(r.URL.Query().Get("next")), Form: true})
}

// login takes a token from the form. Nothing is stored but in the cookie of the browser.
func (g *Guard) login(w http.ResponseWriter, r *http.Request) {
	if !readForm(w, r) {
		return
	}
	token, page := bareToken(r.PostForm.Get("token")), loginPage{Next: localPath(r.PostForm.Get("next")), Form: true}
	if page.Problem = badToken(token); page.Problem != "" {
		showLogin(w, http.StatusBadRequest, page)
		return
	}
	if _, err := g.review.of(r.Context(), token); err != nil {
		status := 0
		status, page.Problem = tells(err)
		showLogin(w, status, page)
		return
	}
	setCookie(w, token, int(signInTime.Seconds()))
	http.Redirect(w, r, page.Next, http.StatusSeeOther)
}

func logout(w http.ResponseWriter, r *http.Request) {
	setCookie(w, "", -1)
	http.Redirect(w, r, loginPath, http.StatusSeeOther)
}

func setCookie(w http.ResponseWriter, token string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: tokenCookie, Value: token, Path: "/", MaxAge: seconds, Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// bareToken takes off what people copy along.
func bareToken(typed string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(typed), "Bearer "))
}

// tokenForm is what a bearer token looks like.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

// badToken says why something cannot be a token, or cannot be kept; empty if it can.
func badToken(token string) string {
	switch {
	case token == "":
		return "The form has no token."
	case !tokenForm.MatchString(token):
		return "This is not a bearer token: it has characters that no token has."
	case len(token) > maxToken:
		return "This token is too long for a cookie. Use one of a ServiceAccount, or a proxy that sends the token in a header."
	}
	return ""
}

// localPath is where to go on: a page of this site, never of another.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	// What is escaped in next need not be in the address that a browser gets.
	if to := u.RequestURI(); u.Path != loginPath && u.Path != logoutPath && !strings.HasPrefix(to, "//") {
		return to
	}
	return "/"
}

// readForm reads what a form has sent. If it cannot, it has said so.
func readForm(w http.ResponseWriter, r *http.Request) bool {
	// Connections go by the real time. Not every one takes a deadline; the size is bounded all the same.
	_ = http.NewResponseController(w).SetReadDeadline(clock.RealClock{}.Now().Add(formTimeout))
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "This form cannot be read.", http.StatusBadRequest)
		return false
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return true
}

// tells is what a person reads about an error of a review.
func tells(err error) (status int, sentence string) {
	if refused := (*refusal)(nil); errors.As(err, &refused) {
		return refused.status, refused.sentence
	}
	return http.StatusServiceUnavailable, "The API server cannot be asked who you are. Try again."
}

// refuse answers somebody who may not see a page: people by a page that helps, programs by a sentence.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, sentence := tells(err)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sickbay"`)
	}
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, sentence, status)
		return
	}
	page := loginPage{Problem: sentence, Next: "/", Form: status != http.StatusServiceUnavailable}
	if errors.Is(err, errNobody) {
		// The form says it.
		page.Problem = ""
	}
	if r.Method == http.MethodGet {
		page.Next = localPath(r.URL.RequestURI())
		page.Strayed = r.Header.Get("Sec-Fetch-Site") == "cross-site"
	}
	showLogin(w, status, page)
}

func showLogin(w http.ResponseWriter, status int, page loginPage) {
	var body bytes.Buffer
	if err := loginTemplate.Execute(&body, page); err != nil {
		http.Error(w, "The sign-in form cannot be shown.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	// A client that has gone reads nothing.
	_, _ = body.WriteTo(w)
}
