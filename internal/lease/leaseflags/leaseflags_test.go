package leaseflags

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// leases is an API server that has these leases, or answers with an error.
type leases struct {
	client.Reader
	metas []metav1.ObjectMeta
	specs []coordinationv1.LeaseSpec
	err   error
}

func (l leases) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	for i, meta := range l.metas {
		lease := coordinationv1.Lease{ObjectMeta: meta}
		if i < len(l.specs) {
			lease.Spec = l.specs[i]
		}
		all := list.(*coordinationv1.LeaseList)
		all.Items = append(all.Items, lease)
	}
	return l.err
}

// announced returns the metadata of a lease whose holder handles a namespace and announces flags.
func announced(namespace string, f Flags) metav1.ObjectMeta {
	s := scope.Scope{Controllers: []string{"machinehealthcheck"}, Namespace: namespace, WatchFilter: f.WatchFilter, Drain: f.Drain}
	labels := s.Labels([]string{"machinehealthcheck", "reboot"})
	maps.Copy(labels, f.Labels())
	return metav1.ObjectMeta{Name: scope.DefaultLease, Labels: labels}
}

func everywhere(all ...Flags) (metas []metav1.ObjectMeta) {
	for _, f := range all {
		metas = append(metas, announced("", f))
	}
	return metas
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// spec returns the spec of a lease that was renewed so long after noon.
func spec(holder string, after time.Duration) coordinationv1.LeaseSpec {
	return coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NewMicroTime(noon.Add(after)))}
}

// TestLeftLeases: a manager with new flags has a new lease, and leaves the old one behind. The old one does not count any more.
func TestLeftLeases(t *testing.T) {
	before := Flags{Policy: mhcspec.Policy{Adopt: mhcspec.AdoptAll, WatchFilter: "east"}, GracePeriod: 5 * time.Minute}
	after := Flags{Policy: mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver}, GracePeriod: 5 * time.Minute}
	for name, tt := range map[string]struct {
		specs []coordinationv1.LeaseSpec
		known bool
	}{
		"given back":                     {[]coordinationv1.LeaseSpec{spec("", 0), spec("a", time.Second)}, true},
		"killed":                         {[]coordinationv1.LeaseSpec{spec("a", 0), spec("b", time.Hour)}, true},
		"nobody leads":                   {[]coordinationv1.LeaseSpec{spec("", 0), spec("", time.Hour)}, true},
		"the later one was given back":   {[]coordinationv1.LeaseSpec{spec("a", 0), spec("", time.Hour)}, true},
		"both lead":                      {[]coordinationv1.LeaseSpec{spec("a", 0), spec("b", time.Second)}, false},
		"both lead, and a clock is slow": {[]coordinationv1.LeaseSpec{spec("a", 0), spec("b", 50*time.Second)}, false},
	} {
		got, known := Read(t.Context(), leases{metas: everywhere(before, after), specs: tt.specs}, "", noon)
		if known != tt.known || known && got != after {
			t.Errorf("%s: read %+v, %t", name, got, known)
		}
	}
}

// TestRead: announced flags are read, and none are invented.
func TestRead(t *testing.T) {
	beside := Flags{Policy: mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver, WatchFilter: "east"}, GracePeriod: 7*time.Minute + 30*time.Second}
	alone := Flags{Policy: mhcspec.Policy{Adopt: mhcspec.AdoptAll}, GracePeriod: 5 * time.Minute}
	draining := Flags{Policy: mhcspec.Policy{Adopt: mhcspec.AdoptAll, Drain: true}, GracePeriod: 5 * time.Minute}
	tests := map[string]struct {
		server leases
		want   Flags
		known  bool
	}{
		"announced":                           {leases{metas: everywhere(beside)}, beside, true},
		"it drains":                           {leases{metas: everywhere(draining), specs: []coordinationv1.LeaseSpec{spec("a", 0)}}, draining, true},
		"it drained, and was killed":          {leases{metas: everywhere(draining), specs: []coordinationv1.LeaseSpec{spec("a", -time.Hour)}}, alone, true},
		"it drained, and has ended":           {leases{metas: everywhere(draining), specs: []coordinationv1.LeaseSpec{spec("", 0)}}, alone, true},
		"the defaults":                        {leases{metas: everywhere(alone)}, alone, true},
		"beside a lease that says nothing":    {leases{metas: append(everywhere(beside), metav1.ObjectMeta{})}, beside, true},
		"two that agree":                      {leases{metas: everywhere(alone, alone)}, alone, true},
		"two that do not agree":               {leases{metas: everywhere(alone, beside)}, Flags{}, false},
		"a version that announces nothing":    {leases{metas: []metav1.ObjectMeta{{}}}, Flags{}, false},
		"a policy that is not known here":     {leases{metas: []metav1.ObjectMeta{{Labels: map[string]string{adoptLabel: "some", gracePeriodLabel: "5m0s"}}}}, Flags{}, false},
		"there is no lease":                   {leases{}, Flags{}, false},
		"the lease may not be read, or so on": {leases{err: errors.New("no")}, Flags{}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, known := Read(t.Context(), tt.server, "", noon)
			if got != tt.want || known != tt.known {
				t.Errorf("read %+v, %t", got, known)
			}
		})
	}
	for key, value := range beside.Labels() {
		if wrong := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(wrong) > 0 {
			t.Errorf("the label %s=%s is none: %v", key, value, wrong)
		}
	}
}

// TestReadOfANamespace: if managers handle different namespaces, the manager of the namespace in question counts, even if another one
// renewed its lease later.
func TestReadOfANamespace(t *testing.T) {
	blue := Flags{Policy: mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver, WatchFilter: "east"}, GracePeriod: time.Minute}
	red := Flags{Policy: mhcspec.Policy{Adopt: mhcspec.AdoptAll}, GracePeriod: 5 * time.Minute}
	server := leases{
		metas: []metav1.ObjectMeta{announced("blue", blue), announced("red", red)},
		specs: []coordinationv1.LeaseSpec{spec("a", 0), spec("b", time.Hour)},
	}
	for namespace, want := range map[string]Flags{"blue": blue, "red": red} {
		if got, known := Read(t.Context(), server, namespace, noon); !known || got != want {
			t.Errorf("of %s: read %+v, %t", namespace, got, known)
		}
	}
	if got, known := Read(t.Context(), server, "green", noon); known {
		t.Errorf("of a namespace that nobody looks after: read %+v", got)
	}
	server.specs[1] = spec("b", time.Second)
	if got, known := Read(t.Context(), server, "", noon); known {
		t.Errorf("of all namespaces: read %+v", got)
	}
}
