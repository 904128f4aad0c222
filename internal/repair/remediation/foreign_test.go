package remediation

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestForeign: of several managers with different watch filters, only that of the MachineHealthCheck touches its records, whatever has
// happened to their machines. What belongs to no manager any more is handed back by the one that made it.
func TestForeign(t *testing.T) {
	t.Parallel()
	label := func(value string) func(f *harness, a *clusterv1.Machine) {
		return func(f *harness, _ *clusterv1.Machine) {
			change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) { m.Labels[clusterv1.WatchLabel] = value })
		}
	}
	nothing := func(*harness, *clusterv1.Machine) {}
	mhcGone := func(f *harness, _ *clusterv1.Machine) { remove(f, f.mhc) }
	const back = handedBack + " replace:NotBegun"
	for name, tt := range map[string]struct {
		// made is the filter of the manager that made the record, and looks that of the one that looks at it.
		made, looks string
		happened    func(f *harness, a *clusterv1.Machine)
		want        string
	}{
		"ours":                            {"us", "us", nothing, acting},
		"theirs":                          {"them", "us", nothing, acting},
		"theirs, made without a filter":   {"", "us", label("them"), acting},
		"theirs, and its machine is gone": {"them", "us", func(f *harness, a *clusterv1.Machine) { remove(f, a) }, acting},
		"theirs, and without a label now": {"them", "us", label(""), acting},
		"theirs, and ours now":            {"them", "us", label("us"), acting},
		"ours, and theirs now":            {"us", "us", label("them"), back},
		"theirs, and its check is gone":   {"them", "us", mhcGone, back},
		"of all, and there are no labels": {"", "us", nothing, back},
		"of all":                          {"", "", nothing, acting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opts []build.MachineHealthCheckOption
			if tt.made != "" {
				opts = append(opts, build.Label(clusterv1.WatchLabel, tt.made))
			}
			f := newHarness(t, opts...)
			f.Policy = mhcspec.Policy{WatchFilter: tt.made}
			a := f.sick("a")
			record := f.admit(a)
			f.reconcile(record)
			f.wantRecord(record, acting)
			tt.happened(f, a)
			before, _ := stored(f, record)
			f.Policy = mhcspec.Policy{WatchFilter: tt.looks}
			f.reconcile(record)
			f.reconcile(record)
			f.wantRecord(record, tt.want)
			if after, _ := stored(f, record); tt.want == acting && after.ResourceVersion != before.ResourceVersion {
				t.Error("it was written")
			}
		})
	}
}
