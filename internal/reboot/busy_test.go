package reboot

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// busy is a workload cluster that somebody else is already waiting for.
type busy struct{ workload.Writer }

func (busy) GetLive(context.Context, client.ObjectKey, string) (*corev1.Node, error) {
	return nil, &workload.UnreadableError{Cause: "c", Err: workload.ErrBusy}
}

// TestBusyCluster: a cycle that has not begun waits in line to read its Node. One that has begun goes on as if the Node could not be read,
// and releases the host in time.
func TestBusyCluster(t *testing.T) {
	p := newPlane(t, 3)
	request := p.ask("m1")
	free := p.r.Workload
	p.r.Workload = busy{free}
	for range 5 {
		result, err := p.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)})
		if err != nil {
			t.Fatal(err)
		}
		if got := reread(t, p.e, request).Status.Phase; got == v1alpha1.PoweringOff {
			t.Error("it has begun without having read its Node")
		} else if got == v1alpha1.Pending && result.RequeueAfter != busyRetry {
			t.Errorf("it is looked at again after %s", result.RequeueAfter)
		}
	}
	p.r.Workload = free
	if got := p.look(request).Status.Phase; got != v1alpha1.PoweringOff {
		t.Errorf("when it is let in, it is in phase %s", got)
	}

	p = newPlane(t, 3)
	request = begunOf(p, unchanged)
	p.r.Workload = busy{p.r.Workload}
	if err := p.e.Client.Delete(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := p.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)}); err != nil {
			t.Fatal(err)
		}
	}
	if heldOff(p, "m1", request) {
		t.Error("the host is kept off as long as others wait for the workload cluster")
	}
}
