package dashboard

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// KeyField is the field of the printed address that has the key.
const KeyField = "key"

// keyCookie is the name of the cookie that has the key of a local server. Browsers tell apart the ports of a host by nothing else.
func keyCookie(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "sickbay-key-" + port
}

// NewKey makes the key of a local server that acts: other people of the same computer reach its address, too, and do not know the key.
func NewKey() string { return rand.Text() }

// Local serves a page on a person's own computer, with that person's rights. It answers to names of this computer alone, so no page of another
// site can have its own name lead here. With a key it serves those who have it: the address that was printed has it, and the browser keeps it.
func Local(next http.Handler, key string) http.Handler {
	if key != "" {
		next = withKey(next, key)
	}
	return sameOrigin(secured(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(r.Host) {
			http.Error(w, "This page is served to this computer alone: open it by 127.0.0.1 or localhost.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})))
}

func isLoopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback()
}

func withKey(next http.Handler, key string) http.Handler {
	has := func(given string) bool { return subtle.ConstantTimeCompare([]byte(given), []byte(key)) == 1 }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if query := r.URL.Query(); r.Method == http.MethodGet && has(query.Get(KeyField)) {
			// No Secure: a local server has no TLS. Not Strict: the address may be opened from anywhere, and leads on at once.
			http.SetCookie(w, &http.Cookie{Name: keyCookie(r), Value: key, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
			query.Del(KeyField)
			// Off the address bar and out of the history.
			to := *r.URL
			to.RawQuery = query.Encode()
			http.Redirect(w, r, localPath(to.RequestURI()), http.StatusSeeOther)
			return
		}
		if cookie, err := r.Cookie(keyCookie(r)); err != nil || !has(cookie.Value) {
			http.Error(w, "This page acts with somebody's rights: open the address that sickbay dashboard has printed.", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
