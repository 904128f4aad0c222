package verdict

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// anySignals draws facts about a Node with heartbeats, a boot, and something remembered.
func anySignals(t *rapid.T) Facts {
	f := anyFacts().Draw(t, "facts")
	if f.Node.Node != nil {
		f.Node.Node.Status.NodeInfo.BootID = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "boot")
		for i := range f.Node.Node.Status.Conditions {
			f.Node.Node.Status.Conditions[i].LastHeartbeatTime = metav1.NewTime(anyTime().Draw(t, "heard"))
		}
	}
	if rapid.Bool().Draw(t, "remembers") {
		rule := mhcspec.ConditionRule{Type: "Disk", Status: "False", Trust: mhcspec.Trust{Flaps: 2, FlapWindow: time.Hour, BootGrace: time.Minute}}
		past := f
		past.Rules.NodeConditions = []mhcspec.ConditionRule{rule}
		past.Node = NodeFacts{State: NodeFound, Node: build.Node("n", build.Condition("Disk", metav1.ConditionFalse, "R", ago(time.Hour)))}
		remember(&f, past, ago(time.Hour))
	}
	return f
}

// remember stores on the Machine of f what is remembered of other facts.
func remember(f *Facts, of Facts, at time.Time) {
	result := DecideTrust(of, at)
	machine := *f.Machine
	machine.Status.Conditions = append([]metav1.Condition{}, machine.Status.Conditions...)
	meta.SetStatusCondition(&machine.Status.Conditions, metav1.Condition{
		Type: TrustConditionType, Status: metav1.ConditionStatus(result.Status), Reason: result.Reason, Message: result.Message, LastTransitionTime: metav1.NewTime(at),
	})
	f.Machine = &machine
}

func anyTrust() *rapid.Generator[mhcspec.Trust] {
	minutes := rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * time.Minute
	})
	return rapid.Custom(func(t *rapid.T) mhcspec.Trust {
		trust := mhcspec.Trust{SilentAfter: minutes.Draw(t, "silent after"), BootGrace: minutes.Draw(t, "boot grace"), FirstSeen: rapid.Bool().Draw(t, "first seen")}
		if rapid.Bool().Draw(t, "flaps") {
			trust.Flaps, trust.FlapWindow = 2, 90*time.Minute
		}
		return trust
	})
}

// before has the findings about Node conditions as they were before there were settings.
func before(l look) findings {
	var all findings
	if l.Node.State != NodeFound {
		return all
	}
	for _, rule := range l.Rules.NodeConditions {
		for i := range l.Node.Node.Status.Conditions {
			c := &l.Node.Node.Status.Conditions[i]
			if string(c.Type) == rule.Type && string(c.Status) == rule.Status {
				created := l.Node.Node.CreationTimestamp.Time
				all.add(matching("Node", rule, healthcheck.Latest(l.countsSince(c.LastTransitionTime.Time, created, rule.Timeout), past(created, l.now)), l.now))
			}
		}
	}
	return all
}

// TestWithoutSettingsNothingChanges: without settings, neither heartbeats nor a boot nor anything remembered changes a verdict, and maxShare alone does not
// either.
func TestWithoutSettingsNothingChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anySignals(t)
		if rapid.Bool().Draw(t, "max share") {
			for i := range f.Rules.NodeConditions {
				f.Rules.NodeConditions[i].Trust.MaxShare = 50
			}
		}
		l := f.look(now)
		if diff := cmp.Diff(before(l), l.nodeConditions(), cmp.AllowUnexported(findings{}, finding{})); diff != "" {
			t.Fatalf("findings (-before +now):\n%s", diff)
		}
	})
}

// TestSettingsNeverAddFindings but by flapping: what is not believed, or has a later clock, is found later or not at all.
func TestSettingsNeverAddFindings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anySignals(t)
		without := decideAll(f)
		for i := range f.Rules.NodeConditions {
			trust := anyTrust().Draw(t, "trust")
			trust.Flaps, trust.FlapWindow, trust.FirstSeen = 0, 0, false
			f.Rules.NodeConditions[i].Trust = trust
		}
		if with := decideAll(f); with > without {
			t.Fatalf("%d findings with settings, %d without", with, without)
		}
	})
}

func decideAll(f Facts) int { return len(f.look(now).nodeConditions().found) }

// TestSettingsSayWhenTheVerdictChanges: with settings, too, a verdict does not change before its recheck.
func TestSettingsSayWhenTheVerdictChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anySignals(t)
		for i := range f.Rules.NodeConditions {
			f.Rules.NodeConditions[i].Trust = anyTrust().Draw(t, "trust")
		}
		if f.Node.State == NodeFound {
			remember(&f, f, now)
		}
		is := verdictOf(f, now)
		until := now.Add(24 * time.Hour)
		if is.Recheck > 0 {
			until = now.Add(is.Recheck - 1)
		}
		at := now.Add(time.Duration(rapid.Int64Range(0, int64(until.Sub(now))).Draw(t, "after")))
		if later := verdictOf(f, at); later.in(0) != is.in(0) {
			t.Fatalf("the verdict %+v is %+v after %s", is, later, at.Sub(now))
		}
	})
}

// TestSilence: who is silent, and by whose clock.
func TestSilence(t *testing.T) {
	late := ago(20 * time.Minute)
	heard := func(at time.Time, more ...build.NodeOption) fact {
		return func(f *Facts) {
			*f = signal("silentAfter: 15m", "", append([]build.NodeOption{gpu("False", late, at)}, more...)...)
		}
	}
	noReady := build.NodeFunc(func(n *corev1.Node) { n.Status.Conditions = n.Status.Conditions[1:] })
	sick := verdict{Status: "False", Reason: "GpuHealthyUnhealthy", Message: "Node condition GpuHealthy is False for more than 5m0s"}
	silent := verdict{Status: "Unknown", Reason: "DetectorSilent", Message: "Node condition GpuHealthy is False, but its detector is silent since 2026-01-01T00:40:00Z"}
	run(t, map[string]row{
		"heard in time":                    {facts(heard(ago(time.Minute))), sick.in(14 * time.Minute)},
		"silent":                           {facts(heard(late)), silent},
		"silent for as long as allowed":    {facts(heard(ago(15*time.Minute - time.Second))), sick.in(time.Second)},
		"never heard":                      {facts(heard(time.Time{})), sick},
		"heard in the future":              {facts(heard(now.Add(time.Hour))), sick},
		"the kubelet is silent, too":       {facts(heard(late, build.NodeReady(metav1.ConditionUnknown, late))), sick},
		"the kubelet says it is not ready": {facts(heard(late, build.NodeReady(metav1.ConditionFalse, late))), silent},
		"the kubelet has said nothing yet": {facts(heard(late, noReady)), sick},
		"a look ahead takes silence for lasting": {
			facts(heard(ago(14*time.Minute)), func(f *Facts) { f.HeardAt = ago(time.Minute) }), sick,
		},
		"latched, and silent later": {
			signal("silentAfter: 15m, bootGrace: 5m", "", gpu("False", late, ago(time.Minute)), build.NodeReady(metav1.ConditionTrue, late)),
			verdict{
				Status: "Unknown", Reason: "DetectorLatched",
				Message: "Node condition GpuHealthy is False (XidError), but that began no later than 5m0s after the last boot and has not changed since: its detector may hang",
			}.in(14 * time.Minute),
		},
		"a silent detector says that all is well": {
			signal("silentAfter: 15m", "", gpu("True", late, late)), healthy,
		},
		"sick for another reason, too": {
			facts(heard(late), machine(remediate())), verdict{Status: "False", Reason: "HasRemediateMachineAnnotation", Message: "Marked for remediation via remediate-machine annotation"},
		},
	})
}

func TestDecideTrust(t *testing.T) {
	late := ago(20 * time.Minute)
	f := signal("silentAfter: 15m, clock: FirstSeen", "", gpu("False", late, late))
	f.More = []mhcspec.Rules{f.Rules}
	got := DecideTrust(f, now)
	want := "Node condition GpuHealthy is False, but its detector is silent since " + late.UTC().Format(time.RFC3339) +
		". Remembered: GpuHealthy=False seen at " + late.UTC().Format(time.RFC3339)
	if got.Status != "False" || got.Reason != ReasonDetectorSilent || got.Message != want {
		t.Errorf("it is %+v, want %s", got, want)
	}
	f = signal("silentAfter: 15m", "", gpu("True", late, late))
	if got := DecideTrust(f, now); got.Status != "True" || got.Reason != ReasonSignalsTrusted || got.Message != "" {
		t.Errorf("it is %+v", got)
	}
	if f = signal("clock: FirstSeen", "Remembered: nonsense"); f.remembered(f.Rules.NodeConditions, now).String() != "Remembered: GpuHealthy=False not seen" {
		t.Error("a memory that cannot be read counts")
	}
}

// TestFlapping: which onsets count.
func TestFlapping(t *testing.T) {
	const flaps = "flaps: 2, flapWindow: 1h"
	flapped := func(ago ...time.Duration) string {
		var times []string
		for _, d := range ago {
			times = append(times, now.Add(-d).Format(time.RFC3339))
		}
		return "GpuHealthy=False before seen at " + strings.Join(times, ", ")
	}
	fine := gpu("True", ago(time.Minute), now)
	sick := verdict{Status: "False", Reason: "GpuHealthyFlapping", Message: "Node condition GpuHealthy became False 2 times within 1h0m0s"}
	is := func(remembered string) Facts { return signal(flaps, "Remembered: "+remembered, fine) }
	longer := is(flapped(90*time.Minute, 30*time.Minute))
	longer.Node.Node.CreationTimestamp = metav1.NewTime(ago(3 * time.Hour))
	other := longer.Rules
	other.NodeConditions = append([]mhcspec.ConditionRule{}, other.NodeConditions...)
	other.NodeConditions[0].Trust.FlapWindow = 2 * time.Hour
	longer.Rules.NodeConditions = append(longer.Rules.NodeConditions, other.NodeConditions...)
	booted := signal(flaps+", bootGrace: 5m", "Remembered: boot=5f2c9d1e seen at "+ago(20*time.Minute).Format(time.RFC3339)+"; "+flapped(30*time.Minute, 10*time.Minute), fine)
	paused := is(flapped(30*time.Minute, 10*time.Minute))
	paused.Rules.ResumedAt = ago(15 * time.Minute)
	unwatched := is(flapped(30*time.Minute, 10*time.Minute))
	meta.SetStatusCondition(&unwatched.Machine.Status.Conditions, metav1.Condition{Type: "Paused", Status: "False", LastTransitionTime: metav1.NewTime(ago(15 * time.Minute))})
	young := is(flapped(30*time.Minute, 10*time.Minute))
	young.Node.Node.CreationTimestamp = metav1.NewTime(ago(15 * time.Minute))
	silent := signal(flaps+", silentAfter: 15m", "Remembered: GpuHealthy=False"+strings.TrimPrefix(flapped(30*time.Minute, 20*time.Minute), "GpuHealthy=False before"),
		gpu("False", ago(20*time.Minute), ago(20*time.Minute)))
	run(t, map[string]row{
		"twice in time":                {is(flapped(59*time.Minute, 10*time.Minute)), sick.in(time.Minute)},
		"once":                         {is(flapped(10 * time.Minute)), healthy},
		"the first is too old":         {is(flapped(time.Hour, 10*time.Minute)), healthy},
		"another rule looks back more": {longer, verdict{Status: "False", Reason: "GpuHealthyFlapping", Message: "Node condition GpuHealthy became False 2 times within 2h0m0s"}.in(30 * time.Minute)},
		"once since the boot":          {booted, healthy},
		"once since the pause":         {paused, healthy},
		"once since the Machine's":     {unwatched, healthy},
		"once on this Node":            {young, healthy},
		"its detector is silent": {silent, verdict{
			Status: "Unknown", Reason: "DetectorSilent", Message: "Node condition GpuHealthy is False, but its detector is silent since 2026-01-01T00:40:00Z",
		}},
	})
}

// TestFirstLook: what has been for long when Sickbay first looks is not new, and what it cannot read is like that.
func TestFirstLook(t *testing.T) {
	for _, remembered := range []string{"Remembered: nonsense", "of no setting that remembers, or by somebody else", "none at all"} {
		f := signal("clock: FirstSeen, bootGrace: 5m", remembered, gpu("False", ago(20*time.Minute), now), build.NodeReady(metav1.ConditionTrue, ago(40*time.Minute)))
		if remembered == "none at all" {
			f.Machine.Status.Conditions = nil
		}
		if got := verdictOf(f, now); got.Reason != "GpuHealthyUnhealthy" {
			t.Errorf("%s: the verdict is %+v", remembered, got)
		}
		if want := "Remembered: GpuHealthy=False seen at 2026-01-01T00:40:00Z; boot=5f2c9d1e seen at 2026-01-01T00:20:00Z"; DecideTrust(f, now).Message != want {
			t.Errorf("%s: it remembers %q", remembered, DecideTrust(f, now).Message)
		}
	}
}

// TestLatchedBeforeTheSetting: what somebody sets for a detector that hangs already counts for it, although Sickbay has remembered other things before.
func TestLatchedBeforeTheSetting(t *testing.T) {
	for _, remembered := range []string{"", "Remembered: boot=5f2c9d1e seen at " + ago(30*time.Minute).Format(time.RFC3339)} {
		f := signal("bootGrace: 5m", remembered, gpu("False", ago(29*time.Minute), now), build.NodeReady(metav1.ConditionTrue, ago(30*time.Minute)))
		if got := verdictOf(f, now); got.Reason != ReasonDetectorLatched {
			t.Errorf("after %q, the verdict is %+v", remembered, got)
		}
	}
}

// TestRememberedInTheFuture: times by the clock of a leader that was ahead delay nothing and latch nothing.
func TestRememberedInTheFuture(t *testing.T) {
	ahead := now.Add(24 * time.Hour).Format(time.RFC3339)
	f := signal("bootGrace: 5m", "Remembered: GpuHealthy=False not seen; boot=5f2c9d1e seen at "+ahead, gpu("True", ago(time.Hour), now))
	remember(&f, f, now)
	f.Node.Node.Status.Conditions[1].Status = corev1.ConditionFalse
	remember(&f, f, now.Add(6*time.Minute))
	first := signal("clock: FirstSeen", "Remembered: GpuHealthy=False seen at "+ahead, gpu("False", ago(time.Hour), now))
	remember(&first, first, now)
	for name, one := range map[string]Facts{"boot": f, "condition": first} {
		if got := verdictOf(one, now.Add(12*time.Minute)); got.Reason != "GpuHealthyUnhealthy" {
			t.Errorf("%s: the verdict is %+v", name, got)
		}
	}
}
