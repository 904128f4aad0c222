package openshift_test

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	configv1 "github.com/openshift/api/config/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestClusterVersion: OpenShift upgrades, with MachineHealthChecks of both kinds. Sickbay starts before ClusterVersion is
// installed, is killed in the middle of the upgrade, and is killed again before the end.
func TestClusterVersion(t *testing.T) {
	i := newInstallation(t)
	bePaused := And(HaveKeyWithValue(clusterv1.PausedAnnotation, mhcspec.UpgradeValue), HaveKeyWithValue(pause.MarkerAnnotation, ""))
	began := time.Now().Add(-time.Hour)
	checks, overridden := i.checks("paused"), i.checks("overridden")

	sick := i.startSickbay()
	i.installClusterVersion()
	i.upgrade("4.20.1", began, configv1.PartialUpdate)
	for _, check := range slices.Concat(checks, overridden) {
		i.Eventually(i.annotations(check)).Should(bePaused)
	}

	i.Expect(sick.Kill()).To(Succeed())
	for _, check := range overridden {
		i.unpause(check)
	}
	checks = append(checks, i.checks("new")...)
	sick = i.startSickbay()
	for _, check := range checks {
		i.Eventually(i.annotations(check)).Should(bePaused)
	}
	for _, check := range overridden {
		i.Eventually(i.annotations(check)).Should(And(HaveLen(1), HaveKey(pause.HandledAnnotation)), "what a person has unpaused stays so")
	}

	i.Expect(sick.Kill()).To(Succeed())
	i.upgrade("4.20.1", began, configv1.CompletedUpdate)
	i.startSickbay()
	for _, check := range checks {
		i.Eventually(i.annotations(check)).Should(And(HaveLen(1), HaveKey(mhcspec.ResumedAtAnnotation)))
	}
	for _, check := range overridden {
		i.Eventually(i.annotations(check)).Should(BeEmpty(), "it has never been paused again, so there was nothing to resume")
	}

	i.upgrade("4.20.2", began.Add(time.Minute), configv1.PartialUpdate)
	for _, check := range slices.Concat(checks, overridden) {
		i.Eventually(i.annotations(check)).Should(bePaused, "what a person wanted during one upgrade says nothing about the next")
	}
}
