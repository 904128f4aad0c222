package cel_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/cel"
)

// listOf returns an object with a list of n numbers in its status.
func listOf(n int) *unstructured.Unstructured {
	list := make([]any, n)
	for i := range list {
		list[i] = int64(i)
	}
	return &unstructured.Unstructured{Object: m{"status": m{"list": list, "text": strings.Repeat("a", n)}}}
}

// TestCostLimit: an expression that takes too much time or memory on a large object is
// stopped, and passes on an ordinary one.
func TestCostLimit(t *testing.T) {
	tests := map[string]struct {
		current      string
		large, small int
	}{
		"a macro in a macro": {"status.list.all(a, status.list.all(b, a + b >= 0))", 1000, 100},
		"a long list":        {"status.list.map(a, a + 1).all(a, a > 0)", 10_000, 1000},
		"a pattern":          {"status.list.all(a, status.text.matches('(a|b)*[a-c]+$'))", 1000, 100},
		"replacement":        {"status.text" + strings.Repeat(".replace('a', 'aaaaaaaaaa')", 3) + ".size() >= 0", 100, 1},
		// Each step repeats its input ten times; after the sixth the text would have a
		// hundred million characters.
		"format":   {"[status.text]" + strings.Repeat(".map(s, '%s%s%s%s%s%s%s%s%s%s'.format([s,s,s,s,s,s,s,s,s,s]))", 6) + ".size() == 1", 100, 0},
		"encoding": {"base64.encode(bytes(status.text)).size() > 1", 60_000, 1000},
		"quoting":  {"strings.quote(status.text).size() > 1", 60_000, 1000},
		// Each step doubles a list, and copies nothing.
		"addition": {"[status.list]" + strings.Repeat(".map(l, l + l)", 20) + "[0].size() >= 0", 10, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			program := compile(t, cel.Rule{Current: tt.current})
			got, err := program.Evaluate(t.Context(), listOf(tt.large))
			if want := "current: too expensive for this object: it costs more than 100000"; err == nil || err.Error() != want {
				t.Errorf("large: got %+v, %v", got, err)
			}
			if got, err = program.Evaluate(t.Context(), listOf(tt.small)); err != nil || got.Status != healthcheck.True {
				t.Errorf("small: got %+v, %v", got, err)
			}
		})
	}
}

// TestOrdinaryIsCheap: large but ordinary objects stay far below the limit, here with a
// list of 300 conditions, each of which is read, collected and joined.
func TestOrdinaryIsCheap(t *testing.T) {
	program := compile(t, cel.Rule{
		Current: "(status.list.filter(a, a < 250) + status.list.map(a, a * 2)).exists(a, a == 598)",
		Message: "status.list.map(a, string(a)).join(', ')",
	})
	got, err := program.Evaluate(t.Context(), listOf(300))
	if err != nil || got.Status != healthcheck.True || !strings.HasPrefix(got.Message, "0, 1, 2") {
		t.Errorf("got %+v, %v", got, err)
	}
}

// lateEnd is a context whose first call of Err returns nil even if it has ended.
type lateEnd struct {
	context.Context
	asked int
}

func (c *lateEnd) Err() error {
	if c.asked++; c.asked == 1 {
		return nil
	}
	return c.Context.Err()
}

// TestContextEnds: evaluation stops before an expression, within one, and in the words of a
// verdict.
func TestContextEnds(t *testing.T) {
	cause := errors.New("time is up")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	tests := map[string]struct {
		ctx  context.Context
		rule cel.Rule
		want string
	}{
		"before": {ended, cel.Rule{Current: "true"}, "current: time is up"},
		"within": {&lateEnd{Context: ended}, cel.Rule{Current: "status.list.all(a, a >= 0)"}, "current: time is up"},
		"after":  {&lateEnd{Context: ended}, cel.Rule{Current: "true", Message: "kind"}, "time is up"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := compile(t, tt.rule).Evaluate(tt.ctx, listOf(1000))
			if !errors.Is(err, cause) || err.Error() != tt.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
