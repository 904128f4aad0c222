package pause

import (
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
)

// lookAt decides once about a MachineHealthCheck.
func lookAt(has stored, upgrades []Upgrade, settle Settle, now time.Time) (stored, Decision) {
	d := Decide(Facts{Annotations: has, Upgrades: upgrades, WarnAfter: warnAfter, Settle: settle}, now)
	return has.After(d.Changes), d
}

// ofVersion returns the upgrades of a ClusterVersion in the middle of an update.
func ofVersion(t *testing.T, progressing configv1.ConditionStatus) []Upgrade {
	t.Helper()
	upgrades, err := OfClusterVersion(versionWith(progressing, entry(configv1.PartialUpdate, "4.17.3", 1)))
	if err != nil {
		t.Fatal(err)
	}
	return upgrades
}

// TestOverrideWhileItSettles: ClusterVersion reports Progressing=False for a moment, the pause settles, and a person lifts it. When the
// upgrade goes on, the override holds.
func TestOverrideWhileItSettles(t *testing.T) {
	going, blip := ofVersion(t, configv1.ConditionTrue), ofVersion(t, configv1.ConditionFalse)
	away := Settle{Within: settleWithin, NotReady: []string{"m1"}}
	has, _ := lookAt(stored{}, going, Settle{Within: settleWithin}, noon)
	has, d := lookAt(has, blip, away, one)
	if d.Transition != Settling {
		t.Fatalf("it does not settle: %+v", d)
	}
	has = has.But(keyPaused)
	has, _ = lookAt(has, blip, away, one.Add(time.Minute))
	if has, d = lookAt(has, going, away, one.Add(2*time.Minute)); d.Paused {
		t.Errorf("the person is overruled in the same upgrade: %v", has)
	}
}

// TestOverrideWhileAPoolUpdates: the same while a MachineConfigPool keeps the pause going.
func TestOverrideWhileAPoolUpdates(t *testing.T) {
	pool, err := ofPool(workers(3, 1, corev1.ConditionTrue), "")
	if err != nil {
		t.Fatal(err)
	}
	going, blip, settle := ofVersion(t, configv1.ConditionTrue), ofVersion(t, configv1.ConditionFalse), Settle{Within: settleWithin}
	has, _ := lookAt(stored{}, append(going, pool...), settle, noon)
	has, _ = lookAt(has, append(blip, pool...), settle, noon.Add(time.Minute))
	has = has.But(keyPaused)
	has, _ = lookAt(has, append(blip, pool...), settle, noon.Add(2*time.Minute))
	has, _ = lookAt(has, append(going, pool...), settle, noon.Add(3*time.Minute))
	if has, d := lookAt(has, going, settle, noon.Add(4*time.Minute)); d.Paused {
		t.Errorf("the person is overruled when the pool is through: %v", has)
	}
}
