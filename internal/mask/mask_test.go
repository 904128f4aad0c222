package mask

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts are masked texts, and texts that only look like secrets.
var texts = map[string]string{
	"": "",
	"cannot reach redfish+https://admin:pw@bmc/x":                                  "cannot reach redfish+https://admin:***@bmc/x",
	`Get "https://u:p@ss@host:6443/api": EOF`:                                      `Get "https://u:***@host:6443/api": EOF`,
	"two: a://b:c@d and e://:f@g":                                                  "two: a://b:***@d and e://:***@g",
	"https://host:8080/a@b":                                                        "https://host:8080/a@b",
	`parse "redfish+https://admin:hun/ter2@bmc/x": invalid port ":hun" after host`: `parse "redfish+https://admin:***@bmc/x": invalid port "***" after host`,
	"https://u:pw@host/a@b":                                                        "https://u:***@host/a@b",
	"https://[::1]:6443/a@b":                                                       "https://[::1]:6443/a@b",
	"Authorization: Basic YWRtaW46YWRtaW4=":                                        "Authorization: Basic ***",
	`"authorization": "Bearer abcdef.0123456"`:                                     `"authorization": "Bearer ***"`,
	"Authorization: Bearer, Basic":                                                 "Authorization: Bearer, Basic",
	"https://host:8080 of admin@example.com":                                       "https://host:8080 of admin@example.com",
	"Authorization: Bearer abcdefgh-ijklmnop.q":                                    "Authorization: Bearer ***",
	"AUTHORIZATION: BEARER abcdefgh-ijklmnop.q":                                    "AUTHORIZATION: BEARER ***",
	"BASIC YWRtaW46c2VjcmV0LXBhc3N3b3Jk==":                                         "BASIC ***",
	"Bearer authentication failed, basic auth refused":                             "Bearer authentication failed, basic auth refused",
	"basic YWRtaW46c2VjcmV0LXBhc3N3b3Jk== refused":                                 "basic *** refused",
	"the token eyJhbGciOiJSUzI1.eyJpc3MiOiJr.c2ln is no good":                      "the token *** is no good",
	"eyJ is not a token":                                                           "eyJ is not a token",
	"-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nrest":    "***\nrest",
	"cut off: -----BEGIN PRIVATE KEY-----\nMII":                                    "cut off: ***",
	"cut off: -----BEGIN PRIVATE KEY-----\nMII\n":                                  "cut off: ***\n",
	`{"msg":"cut off: -----BEGIN PRIVATE KEY-----\nMII","n":1}`:                    "{\"msg\":\"cut off: ***\",\"n\":1}",
}

func TestText(t *testing.T) {
	for text, want := range texts {
		if diff := cmp.Diff(want, Text(text)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestTree(t *testing.T) {
	tree := map[string]any{"a": []any{"x://u:p@h", 7.0, nil}, "b": map[string]any{"c": "plain"}}
	want := map[string]any{"a": []any{"x://u:***@h", 7.0, nil}, "b": map[string]any{"c": "plain"}}
	if diff := cmp.Diff(want, Tree(tree)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// broken fails every write.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestWriter: Write reports the length of the original text, however much remains.
func TestWriter(t *testing.T) {
	var written bytes.Buffer
	entry := "reaching https://admin:a-long-password@host\n"
	if n, err := (Writer{W: &written}).Write([]byte(entry)); n != len(entry) || err != nil || written.String() != "reaching https://admin:***@host\n" {
		t.Errorf("wrote %q, and said %d and %v", &written, n, err)
	}
	if _, err := (Writer{W: broken{}}).Write([]byte(entry)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("said %v", err)
	}
}

// FuzzText: a masked text stays unchanged when masked again, and a password in an address is gone.
func FuzzText(f *testing.F) {
	for text := range texts {
		f.Add(text, "hunter2")
	}
	f.Fuzz(func(t *testing.T, text, password string) {
		once := Text(text)
		if twice := Text(once); twice != once {
			t.Errorf("%q becomes %q, and then %q", text, once, twice)
		}
		if password == "" || strings.ContainsAny(password, " \t\n\v\f\r/\"'<>\\*") {
			return
		}
		if got := Text("x https://user:" + password + "@host/path"); got != "x https://user:***@host/path" {
			t.Errorf("of the password %q is left: %s", password, got)
		}
	})
}
