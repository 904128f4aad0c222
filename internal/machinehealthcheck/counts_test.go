package machinehealthcheck

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestCount(t *testing.T) {
	acted := sick("m")
	acted.ActedUntil = now.Add(time.Second)
	tests := map[string]struct {
		target Target
		want   Counts
	}{
		"healthy":                   {healthy("m"), Counts{Expected: 1, Healthy: 1}},
		"sick":                      {sick("m"), Counts{Expected: 1, Sick: 1}},
		"starting: no verdict":      {target("m"), Counts{Expected: 1, Undecided: 1}},
		"pending: verdict Unknown":  {pending("m"), Counts{Expected: 1, Undecided: 1}},
		"being deleted, healthy":    {healthy("m", build.Deleting(now)), Counts{Expected: 1, Deleting: 1, InFlight: 1}},
		"being deleted, sick":       {sick("m", build.Deleting(now)), Counts{Expected: 1, Deleting: 1, InFlight: 1}},
		"in flight: marked":         {sick("m", marked(metav1.ConditionFalse)), Counts{Expected: 1, Sick: 1, InFlight: 1}},
		"marked, but recovered":     {healthy("m", marked(metav1.ConditionFalse)), Counts{Expected: 1, Healthy: 1}},
		"marked, undecided again":   {pending("m", marked(metav1.ConditionFalse)), Counts{Expected: 1, Undecided: 1, InFlight: 1}},
		"marked, owner gone":        {sick("m", marked(metav1.ConditionFalse), orphan()), Counts{Expected: 1, Sick: 1}},
		"mark is True":              {sick("m", marked(metav1.ConditionTrue)), Counts{Expected: 1, Sick: 1}},
		"in flight: request":        {withRequest(sick("m")), Counts{Expected: 1, Sick: 1, InFlight: 1}},
		"request, healthy already":  {withRequest(healthy("m")), Counts{Expected: 1, Healthy: 1, InFlight: 1}},
		"in flight: reboot":         {sick("m", build.Annotation(remedy.RebootAnnotation, "")), Counts{Expected: 1, Sick: 1, InFlight: 1}},
		"in flight: acted just now": {acted, Counts{Expected: 1, Sick: 1, InFlight: 1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, count([]Target{tt.target})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBudget(t *testing.T) {
	tests := map[string]struct {
		limit    *intstr.IntOrString
		expected int
		want     int
	}{
		"none":                  {nil, 10, unbounded},
		"number":                {new(intstr.FromInt32(2)), 10, 2},
		"number above expected": {new(intstr.FromInt32(20)), 10, 20},
		"percent":               {new(intstr.FromString("20%")), 10, 2},
		"percent, rounded down": {new(intstr.FromString("29%")), 10, 2},
		"percent, at least one": {new(intstr.FromString("20%")), 3, 1},
		"percent of nothing":    {new(intstr.FromString("20%")), 0, 1},
		"above 100%":            {new(intstr.FromString("150%")), 10, 15},
		"percent near 64 bits":  {new(intstr.FromString("9223372036854775807%")), 1000, maxCount},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := budget(tt.limit, tt.expected); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
