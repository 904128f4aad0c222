package controllerstate

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func object(uid, version string) client.Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "one", UID: types.UID(uid), ResourceVersion: version,
	}}
}

func TestWait(t *testing.T) {
	tests := map[string]struct {
		noted, read client.Object
		want        bool
	}{
		"nothing was written":                  {nil, object("a", "5"), false},
		"the cache shows the state before":     {object("a", "10"), object("a", "9"), true},
		"the cache shows our write":            {object("a", "10"), object("a", "10"), false},
		"the cache is ahead":                   {object("a", "10"), object("a", "11"), false},
		"another object has taken the name":    {object("a", "10"), object("b", "11"), false},
		"the cache shows the one before it":    {object("a", "10"), object("b", "9"), true},
		"versions that cannot be told apart":   {object("a", "10"), object("a", "x"), false},
		"an answer without a version":          {object("a", ""), object("a", "9"), false},
		"versions are numbers, and not words":  {object("a", "9"), object("a", "10"), false},
		"versions of any length are compared":  {object("a", "99999999999999999999999"), object("a", "9"), true},
		"the object was read before any write": {object("a", "10"), object("a", "1"), true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var e Memory[int]
			if test.noted != nil {
				e.Expect(test.noted)
			}
			if got := e.Wait(test.read, start) > 0; got != test.want {
				t.Errorf("Wait() > 0 is %t, want %t", got, test.want)
			}
		})
	}
}

func TestWhatTheCacheHasSeenIsForgotten(t *testing.T) {
	var e Memory[int]
	e.Expect(object("a", "10"))
	e.Wait(object("a", "10"), start)
	if e.Wait(object("a", "9"), start) > 0 {
		t.Error("a write that the cache had seen was still remembered")
	}
}

// TestStalledWatch: while the watch is stalled, the wait doubles, up to half a second. It starts again with the next
// write.
func TestStalledWatch(t *testing.T) {
	var e Memory[int]
	e.Expect(object("a", "10"))
	sum, looks := time.Duration(0), 0
	for sum < time.Minute {
		wait := e.Wait(object("a", "9"), start.Add(sum))
		if wait < Retry || wait > lastLook {
			t.Fatalf("look %d is after %s", looks, wait)
		}
		sum += wait
		looks++
	}
	if looks > 130 {
		t.Errorf("%d looks in a minute", looks)
	}
	e.Expect(object("a", "11"))
	if wait := e.Wait(object("a", "10"), start.Add(sum)); wait != Retry {
		t.Errorf("after another write the wait is %s, want %s", wait, Retry)
	}
}

// TestClockSetBack: a clock that was ahead and is set back makes nobody wait for longer than patience.
func TestClockSetBack(t *testing.T) {
	var e Memory[int]
	e.Expect(object("a", "1000000"))
	if e.Wait(object("a", "9"), start.Add(time.Hour)) == 0 || e.Wait(object("a", "9"), start) == 0 {
		t.Error("the wait ended too soon")
	}
	if e.Wait(object("a", "9"), start.Add(patience+time.Second)) > 0 {
		t.Error("the wait did not end")
	}
}

// TestRestoredBackup: if etcd was restored, the cache may never show our write; the object is not left alone for ever.
func TestRestoredBackup(t *testing.T) {
	var e Memory[int]
	e.Expect(object("a", "1000000"))
	if e.Wait(object("a", "9"), start) == 0 || e.Wait(object("a", "9"), start.Add(patience)) == 0 {
		t.Error("the wait ended too soon")
	}
	if e.Wait(object("a", "9"), start.Add(patience+time.Second)) > 0 || e.Wait(object("a", "9"), start.Add(patience+2*time.Second)) > 0 {
		t.Error("the wait did not end")
	}
	e.Expect(object("a", "10"))
	if e.Wait(object("a", "9"), start.Add(time.Hour)) == 0 {
		t.Error("the next write was not waited for")
	}
}
