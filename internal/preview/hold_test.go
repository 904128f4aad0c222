package preview_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/preview"
)

// heldMachine returns a target with the annotations of a hold, without empty ones.
func heldMachine(until, reason string) preview.Target {
	machine := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "metal-3", Annotations: map[string]string{"keep": "this"}}}
	if until != "" {
		machine.Annotations[mhcspec.HoldUntilAnnotation] = until
	}
	if reason != "" {
		machine.Annotations[mhcspec.HoldReasonAnnotation] = reason
	}
	return preview.Target{Name: "machine/metal-3", Object: machine}
}

const (
	one   = "2026-06-01T13:00:00Z"
	two   = "2026-06-01T14:00:00Z"
	three = "2026-06-01T15:00:00Z"
)

// TestProposeHold: a hold gets longer, never shorter, and says who set it.
func TestProposeHold(t *testing.T) {
	tests := map[string]struct {
		target                 preview.Target
		reason, by             string
		already, until, stored string
	}{
		"new":                           {target: heldMachine("", ""), reason: "new disk", by: "alice", until: two, stored: "new disk (by alice)"},
		"new, without a reason":         {target: heldMachine("", ""), by: "alice", until: two, stored: "by alice, no reason given"},
		"new, by nobody known":          {target: heldMachine("", ""), reason: "new disk", until: two, stored: "new disk"},
		"new, by nobody for no reason":  {target: heldMachine("", ""), until: two},
		"longer":                        {target: heldMachine(one, "new disk (by bob)"), by: "alice", until: two, stored: "new disk (by alice)"},
		"longer, for another reason":    {target: heldMachine(one, "new disk (by bob)"), reason: "new rack", by: "alice", until: two, stored: "new rack (by alice)"},
		"longer, of one without a name": {target: heldMachine(one, "by bob"), by: "alice", until: two, stored: "by alice, no reason given"},
		"longer, of a nameless one":     {target: heldMachine(one, "by bob, no reason given"), by: "alice", until: two, stored: "by alice, no reason given"},
		"after one that is over":        {target: heldMachine("2026-06-01T11:00:00Z", "old disk (by bob)"), by: "alice", until: two, stored: "by alice, no reason given"},
		"after one that cannot be read": {target: heldMachine("tomorrow", "old disk"), by: "alice", until: two, stored: "old disk (by alice)"},
		"the same once more":            {target: heldMachine(two, "new disk (by alice)"), reason: "new disk", by: "alice", already: "machine/metal-3 is on hold already until 2026-06-01T14:00:00Z: new disk (by alice). To end that sooner, release it first"},
		"the same for another reason":   {target: heldMachine(two, "new disk (by alice)"), reason: "new rack", by: "bob", until: two, stored: "new rack (by bob)"},
		"shorter":                       {target: heldMachine(three, ""), by: "alice", already: "machine/metal-3 is on hold already until 2026-06-01T15:00:00Z. To end that sooner, release it first"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := preview.ProposeHold(tt.target, preview.Hold{Until: noon.Add(2 * time.Hour), Reason: tt.reason, By: tt.by}, noon)
			if diff := cmp.Diff(tt.already, p.Already); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			if tt.already != "" {
				return
			}
			want := map[string]*string{mhcspec.HoldUntilAnnotation: &tt.until, mhcspec.HoldReasonAnnotation: nil}
			if tt.stored != "" {
				want[mhcspec.HoldReasonAnnotation] = &tt.stored
			}
			if diff := cmp.Diff(want, p.Annotations); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			held := tt.target.Object.(*clusterv1.Machine)
			held.Annotations[mhcspec.HoldUntilAnnotation] = *p.Annotations[mhcspec.HoldUntilAnnotation]
			if why, until := mhcspec.OnHold(noon, held); why == "" || !until.Equal(noon.Add(2*time.Hour)) {
				t.Errorf("the controllers say %q until %s", why, until)
			}
		})
	}
}

// TestHoldSaysWhatItStops: the proposal says what the ladder would do.
func TestHoldSaysWhatItStops(t *testing.T) {
	on := heldMachine(one, "new disk")
	for i, steps := range [][]v1alpha1.RemediationStep{{reboot}, {replace}, {approved(replace)}, {watch}, {ask}, {fix}, {collect}} {
		w := newModel(steps...).settle()
		w.f.Record.Spec.MachineRef.Name = fmt.Sprintf("metal-%d", i)
		on.Open = append(on.Open, *w.f.Record)
	}
	p := preview.ProposeHold(on, preview.Hold{Until: noon.Add(2 * time.Hour), By: "alice"}, noon)
	want := "Hold machine/metal-3 until 2026-06-01T14:00:00Z (2h)\n" +
		"Instead of: a hold until 2026-06-01T13:00:00Z: new disk\n" +
		"Does: Nothing new begins, what nobody has begun is withdrawn, and a running power cycle of a repair is given up. Verdicts are still given\n" +
		"Open: metal-0: given up, and started again later: RebootRemediation metal-3-5f2c9d1e-1-1\n" +
		"Open: metal-1: given up, and started again later: the mark that asks MachineSet md-0 to replace the machine\n" +
		"Open: metal-2: waits\n" +
		"Open: metal-3: step watch is left as it is, and its clock is stopped; what others have begun for it goes on\n" +
		"Open: metal-4: is left to a person, as it is\n" +
		"Open: and 2 more\n" +
		"Then: The hold ends by itself at that time, and repairs go on\n" +
		"Reason: new disk (by alice)"
	if diff := cmp.Diff(want, text(p.Title, p.Lines)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProposeRelease(t *testing.T) {
	nothing := map[string]*string{mhcspec.HoldUntilAnnotation: nil, mhcspec.HoldReasonAnnotation: nil}
	tests := map[string]struct {
		target preview.Target
		want   string
	}{
		"held": {heldMachine(two, "new disk (by bob)"), "Release machine/metal-3\nOn hold: until 2026-06-01T14:00:00Z: new disk (by bob)\n" +
			"Does: Repairs go on, unless another hold, a pause or the gate stands in the way"},
		"over": {heldMachine("2026-06-01T11:00:00Z", ""), "Release machine/metal-3\nOn hold: until 2026-06-01T11:00:00Z\nDoes: Nothing: the hold is over. Its annotations go"},
		"unreadable": {heldMachine("tomorrow", ""), "Release machine/metal-3\nOn hold: until somebody corrects its time, which is \"tomorrow\"\n" +
			"Does: Repairs go on, unless another hold, a pause or the gate stands in the way"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := preview.ProposeRelease(tt.target, noon)
			if diff := cmp.Diff(tt.want, text(p.Title, p.Lines)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(nothing, p.Annotations); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if p := preview.ProposeRelease(heldMachine("", ""), noon); p.Already != "machine/metal-3 is not on hold" || p.Annotations != nil {
		t.Errorf("proposed %+v", p)
	}
	off := heldMachine("", "")
	off.Open = []v1alpha1.MachineRemediation{*newModel(v1alpha1.RemediationStep{Name: "reboot", Action: v1alpha1.ActionReboot, Until: v1alpha1.StepPowerOff}).f.Record}
	said := "machine/metal-3 is not on hold. mr/metal-3-5f2c9d1e-1 keeps the host of metal-3 off. " +
		"To switch it on: kubectl annotate machine.cluster.x-k8s.io metal-3 -n fleet reboot.metal3.io/PowerOn="
	if diff := cmp.Diff(said, preview.ProposeRelease(off, noon).Already); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	on := heldMachine(two, "")
	on.Open, on.OpenUnread = []v1alpha1.MachineRemediation{*newModel(approved(replace)).settle().f.Record}, true
	want := "Release machine/metal-3\nOn hold: until 2026-06-01T14:00:00Z\nDoes: Repairs go on, unless another hold, a pause or the gate stands in the way\n" +
		"Open: metal-3: it is Pending (ApprovalRequired). Step replace waits for a person to approve it\n" +
		"Not seen: you may not read MachineRemediations, so open repairs are not named"
	p := preview.ProposeRelease(on, noon)
	if diff := cmp.Diff(want, text(p.Title, p.Lines)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
