package scope_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

func TestWords(t *testing.T) {
	everything := scope.Leader{Name: "pod-0", Scope: of("all", "", ""), Default: true}
	blue := scope.Leader{Name: "pod-1", Scope: of("reboot", "blue", "")}
	red := scope.Leader{Name: "pod-2", Scope: of("reboot", "red", "")}
	also := scope.Leader{Name: "pod-3", Scope: of("reboot,remediation", "blue", "")}
	for name, test := range map[string]struct {
		leaders []scope.Leader
		want    string
	}{
		"nobody":     {nil, ""},
		"everything": {[]scope.Leader{everything}, ""},
		"a part":     {[]scope.Leader{blue}, "pod-1 leads (reboot in namespace blue)"},
		"two parts":  {[]scope.Leader{blue, red}, "pod-1 leads (reboot in namespace blue); pod-2 leads (reboot in namespace red)"},
		"overlap": {
			[]scope.Leader{blue, also},
			"pod-1 leads (reboot in namespace blue); pod-3 leads (reboot, remediation in namespace blue). MANAGERS OVERLAP: pod-1, pod-3 work on the same objects",
		},
	} {
		if got := scope.Words(test.leaders); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if red.Looks("blue") || !red.Looks("red") || !red.Looks("") || !everything.Looks("blue") {
		t.Error("a manager of one namespace looks after others")
	}
}
