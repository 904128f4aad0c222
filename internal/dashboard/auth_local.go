package dashboard

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

const (
	// keyCookie has the key of a local server.
	keyCookie = "sickbay-key"
	// keyField is where the printed address has it.
	keyField = "key"
)

// NewKey makes the key of a local server that acts: other people of the same computer reach its address, too, and do not know the key.
func NewKey() string { return rand.Text() }

// Local serves a page on a person's own computer, with that person's rights. It answers to names of this computer alone, so no page of another
// site can have its own name lead here. With a key it serves those who have it: the address that was printed has it, and the browser keeps it.
func Local(next http.Handler, key string) http.Handler {
	if key != "" {
		next = withKey(next, key)
	}
	return sameOrigin(headed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
		if query := r.URL.Query(); r.Method == http.MethodGet && has(query.Get(keyField)) {
			// No Secure: a local server has no TLS.
			http.SetCookie(w, &http.Cookie{Name: keyCookie, Value: key, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
			query.Del(keyField)
			// Off the address bar and out of the history.
			to := *r.URL
			to.RawQuery = query.Encode()
			http.Redirect(w, r, localPath(to.RequestURI()), http.StatusSeeOther)
			return
		}
		if cookie, err := r.Cookie(keyCookie); err != nil || !has(cookie.Value) {
			http.Error(w, "This page acts with somebody's rights: open the address that sickbay dashboard has printed.", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
