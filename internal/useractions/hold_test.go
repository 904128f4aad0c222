package useractions

import (
	"math"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// TestStamp: the stamp changes if it is another object, or if somebody has changed its hold; nothing else matters.
func TestStamp(t *testing.T) {
	until, reason := mhcspec.HoldUntilAnnotation, mhcspec.HoldReasonAnnotation
	with := func(annotations map[string]string) string {
		return stamp(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: "first", Annotations: annotations}})
	}
	different := map[string]map[string]string{
		"nothing": nil, "an empty time": {until: ""}, "an empty reason": {reason: ""}, "a time": {until: "x"}, "a reason": {reason: "x"}, "both": {until: "x", reason: "y"},
		"quotes": {until: `x" true "y`},
	}
	seen := map[string]string{}
	for name, annotations := range different {
		is := with(annotations)
		if other, ok := seen[is]; ok {
			t.Errorf("%s is taken for %s", name, other)
		}
		seen[is] = name
	}
	if with(map[string]string{"other": "annotation"}) != with(nil) {
		t.Error("another annotation matters")
	}
	if another := (&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: "second"}}); stamp(another) == with(nil) {
		t.Error("another object does not matter")
	}
}

// TestHoldUntilFar: the longest possible hold ends in the far future, not in the past.
func TestHoldUntilFar(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	if until := HoldUntil(now, math.MaxInt64); until.Year() < 2300 {
		t.Errorf("it ends at %s", until)
	}
	if until := HoldUntil(now.Add(time.Nanosecond), time.Minute); !until.Equal(now.Add(61 * time.Second)) {
		t.Errorf("it ends at %s", until)
	}
}
