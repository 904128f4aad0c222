package pause

import (
	"fmt"
	"time"

	configv1 "github.com/openshift/api/config/v1"
)

// ClusterVersionIDs is the ID prefix of OpenShift's upgrades.
const ClusterVersionIDs = "clusterversion/"

// OfClusterVersion returns the upgrade of OpenShift, if there is one. Progressing=True is not enough: it is also True while
// settings are rolled out, when the last update in the history is completed. If it is False before the last update is
// completed, the upgrade has halted, perhaps for a moment.
func OfClusterVersion(cv *configv1.ClusterVersion) ([]Upgrade, error) {
	progressing := progressingOf(cv)
	if progressing.Status != configv1.ConditionTrue && progressing.Status != configv1.ConditionFalse {
		return nil, fmt.Errorf("ClusterVersion %s does not say whether it is Progressing", cv.Name)
	}
	upgrade, since := Upgrade{Text: "OpenShift upgrades", Halted: progressing.Status == configv1.ConditionFalse}, progressing.LastTransitionTime
	if len(cv.Status.History) == 0 && upgrade.Halted {
		return nil, nil
	}
	if len(cv.Status.History) > 0 {
		update := cv.Status.History[0]
		if update.State == configv1.CompletedUpdate {
			return nil, nil
		}
		if update.Version != "" {
			upgrade.Text += " to " + update.Version
		}
		if !update.StartedTime.IsZero() {
			since = update.StartedTime
		}
	}
	upgrade.ID = ClusterVersionIDs + since.UTC().Format(time.RFC3339)
	return []Upgrade{upgrade}, nil
}

func progressingOf(cv *configv1.ClusterVersion) configv1.ClusterOperatorStatusCondition {
	for _, c := range cv.Status.Conditions {
		if c.Type == configv1.OperatorProgressing {
			return c
		}
	}
	return configv1.ClusterOperatorStatusCondition{}
}
