package dashboard

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// KeyField is the query parameter with the key in the printed address.
const KeyField = "key"

// keyCookie returns the name of the cookie with the key of a local server. It contains the port, because browsers share cookies among the
// ports of a host.
func keyCookie(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "sickbay-key-" + port
}

// Local serves pages on a person's own computer, with that person's rights. It answers only to local hostnames, so no other site can reach it
// by pointing its own name here. If there is a key, it serves only people who have it: the printed address contains it, and the browser keeps
// it in a cookie.
func Local(next http.Handler, key string) http.Handler {
	if key != "" {
		next = withKey(next, key)
	}
	return sameOrigin(secured(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !IsLoopback(r.Host) {
			http.Error(w, "This page is only for this computer: open it as 127.0.0.1 or localhost.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})))
}

// IsLoopback reports whether an address, with or without a port, is reachable only from the host or the pod itself.
func IsLoopback(hostport string) bool {
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
			// Not Secure: a local server has no TLS. Not Strict: a link from anywhere may lead here, and the redirect needs the cookie.
			http.SetCookie(w, &http.Cookie{Name: keyCookie(r), Value: key, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
			query.Del(KeyField)
			// Keeps the key out of the address bar and the history.
			to := *r.URL
			to.RawQuery = query.Encode()
			http.Redirect(w, r, localPath(to.RequestURI()), http.StatusSeeOther)
			return
		}
		if cookie, err := r.Cookie(keyCookie(r)); err != nil || !has(cookie.Value) {
			http.Error(w, "This page acts with a person's rights: open the address that sickbay dashboard printed.", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
