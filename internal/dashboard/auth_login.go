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

// Paths that everybody may read, and the path of the long-running updates.
const (
	loginPath  = "/login"
	logoutPath = "/logout"
	assetsPath = "/assets/"
	eventsPath = "/events"
)

const (
	// tokenCookie holds the token of the person who signed in. Because of the prefix of its name, browsers accept it only over TLS, and send it only
	// to this host.
	tokenCookie = "__Host-sickbay-token"
	// signInTime is how long a browser keeps the cookie. The token may expire sooner.
	signInTime = 12 * time.Hour
	// maxToken is the longest token that fits into a cookie.
	maxToken = 4096 - len(tokenCookie) - 1
	// maxForm is the largest body of a form.
	maxForm = 64 << 10
	// formTimeout bounds how long a browser may take to send it.
	formTimeout = 10 * time.Second
)

// loginTemplate does not use the layout of the other pages, which shows data to people who have signed in.
var loginTemplate = template.Must(template.New("signin.html").Funcs(functions).ParseFS(embedded, "templates/signin.html"))

// loginPage is what the sign-in page shows.
type loginPage struct {
	// Problem says why the person must sign in; empty for the plain form.
	Problem string
	// Next is the page to open after signing in.
	Next string
	// Strayed reports that a link from another site led here: then the browser withholds the cookie even if the person has signed in.
	Strayed bool
	// Form reports whether to show the form: a token would help.
	Form bool
}

func (g *Guard) showLogin(w http.ResponseWriter, r *http.Request) {
	showLogin(w, http.StatusOK, loginPage{Next: localPath(r.URL.Query().Get("next")), Form: true})
}

// login takes a token from the form. It is stored only in the browser's cookie.
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

// bareToken trims what people copy along with a token.
func bareToken(typed string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(typed), "Bearer "))
}

// tokenForm matches bearer tokens.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

// badToken says why a text cannot be a token, or cannot be stored; empty if it can.
func badToken(token string) string {
	switch {
	case token == "":
		return "The form has no token."
	case !tokenForm.MatchString(token):
		return "This is not a bearer token: it has invalid characters."
	case len(token) > maxToken:
		return "This token is too long for a cookie. Use a ServiceAccount's token, or a proxy that sends the token in a header."
	}
	return ""
}

// localPath returns next if it is a page of this site, or else the first page.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	// What next escapes may be unescaped in the address that the browser gets.
	if to := u.RequestURI(); u.Path != loginPath && u.Path != logoutPath && !strings.HasPrefix(to, "//") {
		return to
	}
	return "/"
}

// readForm parses a form. If it cannot, it answers the request and returns false.
func readForm(w http.ResponseWriter, r *http.Request) bool {
	// Connections use the real time. Some take no deadline; the size is bounded anyway.
	_ = http.NewResponseController(w).SetReadDeadline(clock.RealClock{}.Now().Add(formTimeout))
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "This form cannot be read.", http.StatusBadRequest)
		return false
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return true
}

// tells returns the status and the sentence for an error of a review.
func tells(err error) (status int, sentence string) {
	if refused := (*refusal)(nil); errors.As(err, &refused) {
		return refused.status, refused.sentence
	}
	return http.StatusServiceUnavailable, "The API server did not answer who you are. Try again."
}

// refuse answers a person who may not see a page: browsers get the sign-in page, programs get a sentence.
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
		// The form says so anyway.
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
	// An error means that the client has gone.
	_, _ = body.WriteTo(w)
}
