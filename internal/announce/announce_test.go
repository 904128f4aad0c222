package announce

import (
	"context"
	"errors"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/targets"
)

// leases is an API server that has these leases, or answers with an error.
type leases struct {
	client.Reader
	labels []map[string]string
	err    error
}

func (l leases) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	for _, labels := range l.labels {
		all := list.(*coordinationv1.LeaseList)
		all.Items = append(all.Items, coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: Lease, Labels: labels}})
	}
	return l.err
}

// TestHeard: what is announced is heard, and nothing is made up.
func TestHeard(t *testing.T) {
	beside := Flags{Policy: targets.Policy{Adopt: targets.AdoptHandedOver, WatchFilter: "east"}, GracePeriod: 7*time.Minute + 30*time.Second}
	alone := Flags{Policy: targets.Policy{Adopt: targets.AdoptAll}, GracePeriod: 5 * time.Minute}
	tests := map[string]struct {
		server leases
		want   Flags
		known  bool
	}{
		"announced":                           {leases{labels: []map[string]string{beside.Labels()}}, beside, true},
		"the defaults":                        {leases{labels: []map[string]string{alone.Labels()}}, alone, true},
		"beside a lease that says nothing":    {leases{labels: []map[string]string{nil, beside.Labels()}}, beside, true},
		"two that agree":                      {leases{labels: []map[string]string{alone.Labels(), alone.Labels()}}, alone, true},
		"two that do not agree":               {leases{labels: []map[string]string{alone.Labels(), beside.Labels()}}, Flags{}, false},
		"a version that announces nothing":    {leases{labels: []map[string]string{nil}}, Flags{}, false},
		"a policy that is not known here":     {leases{labels: []map[string]string{{adoptLabel: "some", gracePeriodLabel: "5m0s"}}}, Flags{}, false},
		"there is no lease":                   {leases{}, Flags{}, false},
		"the lease may not be read, or so on": {leases{err: errors.New("no")}, Flags{}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, known := Heard(t.Context(), tt.server)
			if got != tt.want || known != tt.known {
				t.Errorf("heard %+v, %t", got, known)
			}
		})
	}
	for key, value := range beside.Labels() {
		if wrong := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(wrong) > 0 {
			t.Errorf("the label %s=%s is none: %v", key, value, wrong)
		}
	}
}
