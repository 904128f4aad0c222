package lag

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var (
	owner   = client.ObjectKey{Namespace: "ns", Name: "owner"}
	another = client.ObjectKey{Namespace: "ns", Name: "another"}
	start   = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

func written(name, uid, version string) client.Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(uid), ResourceVersion: version}}
}

// cache shows some objects.
func cache(objs ...client.Object) func(client.ObjectKey) client.Object {
	return func(key client.ObjectKey) client.Object {
		for _, obj := range objs {
			if client.ObjectKeyFromObject(obj) == key {
				return obj
			}
		}
		return nil
	}
}

func names(all []Expected) []string {
	var list []string
	for _, one := range all {
		list = append(list, one.Object.GetName()+" "+one.Object.GetResourceVersion())
	}
	return list
}

func TestUnseen(t *testing.T) {
	tests := map[string]struct {
		shown []client.Object
		want  []string
	}{
		"nothing":         {nil, []string{"a 10", "b 20"}},
		"one":             {[]client.Object{written("a", "1", "10")}, []string{"b 20"}},
		"a newer one":     {[]client.Object{written("a", "1", "11")}, []string{"b 20"}},
		"an older one":    {[]client.Object{written("a", "1", "9")}, []string{"a 10", "b 20"}},
		"another of that": {[]client.Object{written("a", "2", "9")}, []string{"b 20"}},
		"all":             {[]client.Object{written("a", "1", "10"), written("b", "1", "20")}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var m Memory
			m.Expect(owner, written("b", "1", "20"), start)
			m.Expect(owner, written("a", "1", "10"), start)
			m.Expect(another, written("c", "1", "30"), start)
			if diff := cmp.Diff(tt.want, names(m.Unseen(owner, cache(tt.shown...)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, names(m.Unseen(owner, cache()))); diff != "" {
				t.Errorf("what was seen is not forgotten (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDropAndForget(t *testing.T) {
	var m Memory
	m.Drop(owner, written("a", "1", "10"))
	m.Expect(owner, written("a", "1", "10"), start)
	m.Drop(owner, written("a", "another", "11"))
	if got := m.Unseen(owner, cache()); len(got) != 1 || !got[0].Since.Equal(start) {
		t.Errorf("%v are unseen, want the one whose namesake is gone", got)
	}
	m.Drop(owner, written("a", "1", "12"))
	if got := m.Unseen(owner, cache()); len(got) > 0 {
		t.Errorf("%v are unseen, though it is gone", names(got))
	}
	m.Expect(owner, written("a", "1", "10"), start)
	m.Fail(owner, "x", "no", start)
	m.PutOff(owner, start)
	m.Forget(owner)
	if len(m.of) > 0 {
		t.Errorf("%v is kept", m.of)
	}
}

func TestFailures(t *testing.T) {
	all := func(types.UID) bool { return true }
	var m Memory
	m.Succeed(owner, "x")
	if m.Failures(owner, all) != nil {
		t.Error("nothing has failed")
	}
	now := start
	var pauses []time.Duration
	for i := range 9 {
		if news := m.Fail(owner, "x", "no", now); news != (i == 0) {
			t.Errorf("the same text is news for time %d: %v", i, news)
		}
		pauses = append(pauses, m.Failures(owner, all)["x"].RetryAt.Sub(now))
		now = now.Add(time.Hour)
	}
	s := time.Second
	if diff := cmp.Diff([]time.Duration{5 * s, 10 * s, 20 * s, 40 * s, 80 * s, 160 * s, 300 * s, 300 * s, 300 * s}, pauses); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
	if !m.Fail(owner, "x", "another", now) {
		t.Error("another text is no news")
	}
	m.Fail(owner, "y", "no", now)
	if got := m.Failures(owner, func(uid types.UID) bool { return uid == "y" }); len(got) != 1 || got["y"].Count != 1 {
		t.Errorf("failures are %v, want that of y", got)
	}
	if got := m.Failures(owner, all); len(got) != 1 {
		t.Errorf("failures are %v, want only those that were of interest", got)
	}
	m.Succeed(owner, "y")
	if got := m.Failures(owner, all); got != nil {
		t.Errorf("failures are %v", got)
	}
	for range 100 {
		m.Fail(owner, "z", "no", now)
	}
	if got := m.Failures(owner, all)["z"].RetryAt.Sub(now); got != 5*time.Minute {
		t.Errorf("after 100 failures it is tried again in %s", got)
	}
}

func TestThrottle(t *testing.T) {
	var m Memory
	if got := m.Throttle(owner, time.Second, start); got != 0 {
		t.Errorf("the first status waits %s", got)
	}
	m.Expect(owner, written("a", "1", "10"), start)
	if got := m.Throttle(owner, time.Second, start); got != 0 {
		t.Errorf("the first status waits %s", got)
	}
	m.PutOff(owner, start)
	for after, want := range map[time.Duration]time.Duration{
		0: time.Second, 999 * time.Millisecond: time.Millisecond, time.Second: 0, time.Hour: 0,
	} {
		if got := m.Throttle(owner, time.Second, start.Add(after)); got != want {
			t.Errorf("after %s it waits %s, want %s", after, got, want)
		}
	}
	if got := m.Throttle(another, time.Second, start); got != 0 {
		t.Errorf("another waits %s", got)
	}
}

// TestYieldEnds: what comes first may come again and again, and a status that waits is stored all the same.
func TestYieldEnds(t *testing.T) {
	var m Memory
	m.PutOff(owner, start)
	waits := time.Duration(0)
	for after := time.Duration(0); after < time.Minute; after += 100 * time.Millisecond {
		now := start.Add(after)
		m.Yield(owner, now)
		if m.Throttle(owner, time.Second, now) == 0 {
			m.PutOff(owner, now)
			waits = 0
			continue
		}
		if waits += 100 * time.Millisecond; waits > 2*time.Second {
			t.Fatalf("after %s, a status has waited for %s", after, waits)
		}
	}
}
