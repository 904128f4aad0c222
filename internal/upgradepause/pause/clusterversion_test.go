package pause

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// versionWith returns a ClusterVersion with this Progressing status since noon.
func versionWith(progressing configv1.ConditionStatus, history ...configv1.UpdateHistory) *configv1.ClusterVersion {
	cv := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}}
	cv.Status.History = history
	cv.Status.Conditions = []configv1.ClusterOperatorStatusCondition{
		{Type: configv1.OperatorAvailable, Status: configv1.ConditionTrue, LastTransitionTime: metav1.NewTime(noon.Add(-time.Hour))},
		{Type: configv1.OperatorProgressing, Status: progressing, LastTransitionTime: metav1.NewTime(noon)},
	}
	return cv
}

// entry returns an update in the history that began some minutes after noon.
func entry(state configv1.UpdateState, version string, minutes int) configv1.UpdateHistory {
	return configv1.UpdateHistory{State: state, Version: version, StartedTime: metav1.NewTime(noon.Add(time.Duration(minutes) * time.Minute))}
}

// halted returns these upgrades as halted.
func halted(upgrades []Upgrade) []Upgrade {
	upgrades = slices.Clone(upgrades)
	for i := range upgrades {
		upgrades[i].Halted = true
	}
	return upgrades
}

func TestClusterVersionUpgrades(t *testing.T) {
	const yes, no, unknown = configv1.ConditionTrue, configv1.ConditionFalse, configv1.ConditionUnknown
	const done, partial = configv1.CompletedUpdate, configv1.PartialUpdate
	to417 := []Upgrade{{ID: "clusterversion/2026-01-01T12:01:00Z", Text: "OpenShift upgrades to 4.17.3"}}
	first := []Upgrade{{ID: "clusterversion/2026-01-01T12:00:00Z", Text: "OpenShift upgrades"}}
	desired := versionWith(no, entry(done, "4.16.1", 0))
	desired.Spec.DesiredUpdate = &configv1.Update{Version: "4.17.3"}
	desired.Status.Desired.Version = "4.17.3"
	accepted := versionWith(yes, entry(done, "4.16.1", 0))
	accepted.Spec.DesiredUpdate = desired.Spec.DesiredUpdate

	for name, tt := range map[string]struct {
		version *configv1.ClusterVersion
		want    []Upgrade
	}{
		"steady state":                                       {versionWith(no, entry(done, "4.17.3", 1)), nil},
		"steady state, several updates before":               {versionWith(no, entry(done, "4.17.3", 1), entry(done, "4.16.1", 0)), nil},
		"an update that goes on":                             {versionWith(yes, entry(partial, "4.17.3", 1)), to417},
		"an update that goes on, several before":             {versionWith(yes, entry(partial, "4.17.3", 1), entry(done, "4.16.1", 0), entry(done, "4.15.0", -9)), to417},
		"an update that goes on after one that was given up": {versionWith(yes, entry(partial, "4.17.3", 1), entry(partial, "4.17.2", 0)), to417},
		"settings are rolled out: Completed is no upgrade":   {versionWith(yes, entry(done, "4.17.3", 1)), nil},
		"settings are rolled out, an update before given up": {versionWith(yes, entry(done, "4.17.3", 1), entry(partial, "4.17.2", 0)), nil},
		"the state is missing: it goes on":                   {versionWith(yes, entry("", "4.17.3", 1)), to417},
		"desiredUpdate set but not started":                  {desired, nil},
		"desiredUpdate set, Progressing, but not in history": {accepted, nil},
		"no history: the first installation":                 {versionWith(yes), first},
		"no history, steady":                                 {versionWith(no), nil},
		"no version and no time":                             {versionWith(yes, configv1.UpdateHistory{State: partial}), first},
		"Progressing is over, the history has not caught up": {versionWith(no, entry(partial, "4.17.3", 1)), halted(to417)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := OfClusterVersion(tt.version)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("upgrades (-want +got):\n%s", diff)
			}
		})
	}
	for name, version := range map[string]*configv1.ClusterVersion{
		"an empty status":             {},
		"Progressing is Unknown":      versionWith(unknown, entry(partial, "4.17.3", 1)),
		"Progressing has no status":   versionWith("", entry(done, "4.17.3", 1)),
		"Progressing is not a status": versionWith("Yes", entry(partial, "4.17.3", 1)),
		"there is no Progressing":     {Status: configv1.ClusterVersionStatus{History: []configv1.UpdateHistory{entry(partial, "4.17.3", 1)}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := OfClusterVersion(version); err == nil || len(got) > 0 {
				t.Errorf("got %v and error %v, want only an error", got, err)
			}
			if Same(version, desired) {
				t.Error("nobody is woken up when this comes to an end")
			}
		})
	}
}
