package remediation

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// TestPausedClusterIsLeftAlone: by Cluster API's contract, nobody touches what belongs to a paused Cluster, as while clusterctl moves it to another
// management cluster, where the same annotation is taken in, too. spec.requestedBy says so of a pause of the Machine or of its Cluster.
func TestPausedClusterIsLeftAlone(t *testing.T) {
	t.Parallel()
	t.Run("an annotation is not taken in", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t)
		a := f.sick("a")
		change(f, f.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = new(true) })
		annotate(f, a, cycleAnnotation, "please")
		f.takesIn(a)
		if got := f.sign(a); got != "please" {
			t.Errorf("it is answered with %q, and %d records are made", got, f.recordsMade())
		}
	})
	t.Run("and what was taken in before does not begin", func(t *testing.T) {
		t.Parallel()
		f := newHarness(t)
		a := f.sick("a")
		record := f.admit(a, byAnnotation())
		f.signed(a, record)
		change(f, f.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = new(true) })
		f.reconcile(record)
		if n := f.cycles(); n != 0 {
			t.Errorf("%d cycle of a machine of a paused Cluster: %s", n, f.summary(record))
		}
	})
}
