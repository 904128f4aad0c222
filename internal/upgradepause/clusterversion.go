package upgradepause

import (
	"context"
	"fmt"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clusterVersionName is that of the one ClusterVersion that OpenShift's operator looks at.
const clusterVersionName = "version"

// clusterVersionID begins the IDs of its upgrades.
const clusterVersionID = "clusterversion/"

// clusterVersion is the signal of OpenShift. It concerns every MachineHealthCheck.
type clusterVersion struct {
	reader    client.Reader
	lookout   *lookout
	installed *Installed
}

// Read implements Signal.
func (s clusterVersion) Read(ctx context.Context, check *metav1.PartialObjectMetadata) []Reading {
	if !s.installed.get() {
		return nil
	}
	return []Reading{s.read(ctx, check)}
}

func (s clusterVersion) read(ctx context.Context, check *metav1.PartialObjectMetadata) Reading {
	reading := Reading{IDs: clusterVersionID, Subject: &corev1.ObjectReference{
		APIVersion: configv1.GroupVersion.String(), Kind: "ClusterVersion", Name: clusterVersionName,
	}}
	cv := &configv1.ClusterVersion{}
	if reading.Err = s.lookout.ready(ctx, cv); reading.Err != nil {
		return reading
	}
	err := s.reader.Get(ctx, client.ObjectKey{Name: clusterVersionName}, cv)
	if apierrors.IsNotFound(err) && !strings.Contains(check.Annotations[HandledAnnotation], clusterVersionID) {
		// The kind is installed, but this is not OpenShift. Had it been before, that would be odd, and
		// those that were paused then say so.
		return Reading{}
	}
	if err != nil {
		reading.Err = fmt.Errorf("getting ClusterVersion %s: %w", clusterVersionName, err)
		return reading
	}
	reading.Upgrades, reading.Err = ofClusterVersion(cv)
	return reading
}

// ofClusterVersion reports whether OpenShift upgrades. Progressing alone does not say so: it is also True
// while settings are rolled out, and then the last update in the history is completed. If it is False while the last update is
// not, the upgrade has halted, perhaps for a moment.
func ofClusterVersion(cv *configv1.ClusterVersion) ([]Upgrade, error) {
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
	upgrade.ID = clusterVersionID + upgrade.Since.UTC().Format(time.RFC3339)
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

// digestOfClusterVersion is all of it that matters here.
func digestOfClusterVersion(cv *configv1.ClusterVersion) string {
	upgrades, err := ofClusterVersion(cv)
	var b strings.Builder
	for _, u := range upgrades {
		fmt.Fprintf(&b, "%s,%s,%t;", u.ID, u.Text, u.Halted)
	}
	if err != nil {
		b.WriteString(err.Error())
	}
	return b.String()
}
