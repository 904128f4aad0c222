package selects_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/explain/selects"
)

// TestNothing: what is missing is named, and what is one letter away, in the key or in the value.
func TestNothing(t *testing.T) {
	objects := []map[string]string{
		{"pool": "workers", "zone": "a", "cluster.x-k8s.io/deployment-name": "md-0"}, {"pool": "workers", "zone": "b"}, {"pool": "gpu", "tier": "Gold"},
	}
	label := func(pairs ...string) *metav1.LabelSelector {
		s := &metav1.LabelSelector{MatchLabels: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			s.MatchLabels[pairs[i]] = pairs[i+1]
		}
		return s
	}
	expression := func(key string, operator metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
	}
	for name, tt := range map[string]struct {
		selector *metav1.LabelSelector
		want     string
	}{
		"a letter is missing in the value": {label("pool", "worker"), "none has pool=worker, but 2 have pool=workers"},
		"another letter":                   {label("pool", "workerz"), "none has pool=workerz, but 2 have pool=workers"},
		"two letters change places":        {label("pool", "wrokers"), "none has pool=wrokers, but 2 have pool=workers"},
		"capitals":                         {label("tier", "gold"), "none has tier=gold, but 1 has tier=Gold"},
		"a letter too many in the key":     {label("pools", "workers"), "none has pools=workers, but 2 have pool=workers"},
		"a key with a domain": {
			label("cluster.x-k8s.io/deployment-nam", "md-0"), "none has cluster.x-k8s.io/deployment-nam=md-0, but 1 has cluster.x-k8s.io/deployment-name=md-0",
		},
		"nothing near":                        {label("pool", "storage"), "none has pool=storage"},
		"a key that is near, another value":   {label("pools", "storage"), "none has pools=storage"},
		"one of two":                          {label("pool", "worker", "zone", "a"), "none has pool=worker, but 2 have pool=workers"},
		"each is there, but not together":     {label("pool", "gpu", "zone", "a"), "none has all that it asks for: pool=gpu,zone=a"},
		"one of several values":               {expression("pool", metav1.LabelSelectorOpIn, "worker", "storage"), "none has pool in (storage,worker), but 2 have pool=workers"},
		"a key that has to exist":             {expression("pol", metav1.LabelSelectorOpExists), "none has pol, but 2 have pool=workers, 1 has pool=gpu"},
		"a key that must not exist":           {expression("pool", metav1.LabelSelectorOpDoesNotExist), "none has !pool"},
		"nothing that anything could be near": {label("zone", "c"), "none has zone=c"},
	} {
		if got := selects.Nothing(tt.selector, objects); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
