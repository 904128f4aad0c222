package network_test

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/network"
)

// FuzzStable: cleaning a text twice changes nothing more, and it never contains the query
// of a requested URL.
func FuzzStable(f *testing.F) {
	f.Add("read tcp 10.0.0.7:41234->10.0.0.1:443: EOF", "http://u:p@h:1/a?token=s3cret")
	f.Add("lookup a on b: read udp 1:2->3:4->5:6: i/o timeout - error from a previous attempt: EOF", "://")
	f.Add("https://a@b@c?d?e LastStreamID=1, stream ID 2", "http://[::1]:80/?s3cret#s3cret")
	f.Fuzz(func(t *testing.T, text, address string) {
		once := network.Stable(errors.New(text))
		if twice := network.Stable(once); twice.Error() != once.Error() {
			t.Errorf("%q is %q, and then %q", text, once, twice)
		}
		failed := &url.Error{Op: "Get", URL: address, Err: &net.OpError{Op: "read", Err: errors.New(text)}}
		got := network.Stable(failed).Error()
		u, err := url.Parse(address)
		if err == nil && strings.Contains(u.RawQuery, "s3cret") && !strings.Contains(u.Host+text, "s3cret") && strings.Contains(got, "s3cret") {
			t.Errorf("%q tells %q", address, got)
		}
	})
}
