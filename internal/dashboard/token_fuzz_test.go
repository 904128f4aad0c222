package dashboard

import (
	"net/http"
	"strings"
	"testing"
)

// FuzzToken: only what follows Bearer in a header is used as a token, in one piece and unchanged.
func FuzzToken(f *testing.F) {
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer abc.def", "bearer  abc", " BEARER a b ", "Basic dXNlcjpwYXNz", "Bearer\tabc", "Bearerabc", "\x00", "Bearer \xff"} {
		f.Add(header, "cookie")
	}
	f.Fuzz(func(t *testing.T, header, cookie string) {
		r := &http.Request{Header: http.Header{"Authorization": {header}}}
		r.AddCookie(&http.Cookie{Name: tokenCookie, Value: cookie})
		token := tokenOf(r)
		if header == "" {
			return
		}
		fields := strings.Fields(header)
		if token != "" && (!strings.EqualFold(fields[0], "Bearer") || !strings.Contains(header, token) || token != strings.TrimSpace(token)) {
			t.Errorf("%q has the token %q", header, token)
		}
	})
}
