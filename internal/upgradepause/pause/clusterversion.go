package pause

import (
	"fmt"
	"strings"
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
	upgrade := Upgrade{Text: "OpenShift upgrades", Since: progressing.LastTransitionTime.Time, Halted: progressing.Status == configv1.ConditionFalse}
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
			upgrade.Since = update.StartedTime.Time
		}
	}
	upgrade.ID = ClusterVersionIDs + upgrade.Since.UTC().Format(time.RFC3339)
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

// digestOfClusterVersion returns everything about a ClusterVersion that decisions depend on.
func digestOfClusterVersion(cv *configv1.ClusterVersion) string {
	upgrades, err := OfClusterVersion(cv)
	var b strings.Builder
	for _, u := range upgrades {
		fmt.Fprintf(&b, "%s,%s,%t;", u.ID, u.Text, u.Halted)
	}
	if err != nil {
		b.WriteString(err.Error())
	}
	return b.String()
}
