package cycle

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestLateNodeOfAnAttemptInVain: if the host was not proven off in the end, and its Node is tainted since an earlier cycle, an earlier boot is enough.
func TestLateNodeOfAnAttemptInVain(t *testing.T) {
	const failed = v1alpha1.Failed
	ourTaint := func(f *Facts) { f.Node.Tainted, f.Node.Node.Spec.Taints = true, []corev1.Taint{OutOfService} }
	late := func(changes ...change) Facts {
		ended := []change{taints, noFinalizer, outOfServiceSince, sameNode, ourTaint, func(f *Facts) { f.Status.Node.Backup = nil }, neverOff}
		return in(failed, append(ended, changes...)...)
	}
	check(t, []row{
		{name: "it runs", facts: late(reports(moment)), want: does(failed, UntaintNode)},
		{name: "it may not", facts: late(reports(0)), want: waits(failed, 0)},
		{name: "it does not", facts: late(), want: waits(failed, 0)},
	})
}
