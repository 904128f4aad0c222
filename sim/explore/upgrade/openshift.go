package upgrade

import (
	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// Version is the name of OpenShift's only ClusterVersion.
const Version = "version"

// openshift returns a ClusterVersion that has been upgraded before the history begins.
func openshift() *configv1.ClusterVersion {
	cv := &configv1.ClusterVersion{ObjectMeta: objectMeta(kinds.ClusterVersion, Version)}
	cv.Status.History = []configv1.UpdateHistory{{State: configv1.CompletedUpdate, Version: "4.17.0"}}
	cv.Status.Conditions = []configv1.ClusterOperatorStatusCondition{{Type: configv1.OperatorProgressing, Status: configv1.ConditionFalse}}
	return cv
}

// OpenShift returns what OpenShift can do next: begin to upgrade, complete that, halt and go on. It can also just reconcile, which looks
// like an upgrade.
func (s Scene) OpenShift() []Act {
	cv := s.Find(kinds.ClusterVersion, Version).(*configv1.ClusterVersion)
	last := cv.Status.History[0]
	var acts []Act
	if last.StartedTime.Unix() != s.Now.Unix() { // each has its own time
		acts = append(acts, Act{"OpenShift begins to upgrade", func() {
			s.says(configv1.UpdateHistory{State: configv1.PartialUpdate, Version: "4.17.1", StartedTime: metav1.NewTime(s.Now)}, true)
		}})
	}
	if last.State != configv1.CompletedUpdate {
		acts = append(acts, Act{"OpenShift completes its upgrade", s.complete})
	}
	if Progressing(cv) {
		return append(acts, Act{"OpenShift halts", func() { s.says(last, false) }})
	}
	return append(acts, Act{"OpenShift goes on, or reconciles", func() { s.says(last, true) }})
}

// Progressing reports whether a ClusterVersion says that it is progressing.
func Progressing(cv *configv1.ClusterVersion) bool {
	return cv.Status.Conditions[0].Status == configv1.ConditionTrue
}

func (s Scene) complete() {
	last := s.Find(kinds.ClusterVersion, Version).(*configv1.ClusterVersion).Status.History[0]
	last.State = configv1.CompletedUpdate
	s.says(last, false)
}

// says makes the ClusterVersion report its last update, and whether it is progressing.
func (s Scene) says(last configv1.UpdateHistory, progressing bool) {
	status(s, kinds.ClusterVersion, Version, func(cv *configv1.ClusterVersion) {
		cv.Status.History[0] = last
		c := &cv.Status.Conditions[0]
		c.Status, c.LastTransitionTime = configv1.ConditionFalse, metav1.NewTime(s.Now)
		if progressing {
			c.Status = configv1.ConditionTrue
		}
	})
}
