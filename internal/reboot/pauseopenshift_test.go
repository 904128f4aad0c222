package reboot

import (
	"strings"
	"testing"
	"time"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// TestPausesInOpenShift: a pause of any MachineHealthCheck that selects the Machine counts, also one for an upgrade. No event
// announces its end, so the controller polls.
func TestPausesInOpenShift(t *testing.T) {
	paused := map[string]string{clusterv1.PausedAnnotation: ""}
	hold := map[string]string{mhcspec.HoldUntilAnnotation: noon.Add(time.Hour).Format(time.RFC3339)}
	mhc := func(role string, annotations map[string]string) client.Object {
		return &machinev1.MachineHealthCheck{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "mhc", Annotations: annotations},
			Spec:       machinev1.MachineHealthCheckSpec{Selector: metav1.LabelSelector{MatchLabels: map[string]string{"role": role}}},
		}
	}
	for name, tt := range map[string]struct {
		machine map[string]string
		mhcs    []client.Object
		want    string
		until   time.Duration
	}{
		"nothing":                        {},
		"the health check is not paused": {mhcs: []client.Object{mhc("worker", nil)}},
		"another health check is":        {mhcs: []client.Object{mhc("master", paused)}},
		"the health check is":            {mhcs: []client.Object{mhc("worker", paused)}, want: "MachineHealthCheck mhc", until: lookForPause},
		"the health check is on hold":    {mhcs: []client.Object{mhc("worker", hold)}, want: "MachineHealthCheck mhc is on hold", until: time.Hour},
		"the Machine is paused":          {machine: paused, want: "The Machine", until: lookForPause},
		"the Machine is on hold":         {machine: hold, want: "Machine m is on hold", until: time.Hour},
	} {
		scheme := runtime.NewScheme()
		if err := machinev1.Install(scheme); err != nil {
			t.Fatal(err)
		}
		r := &Reconciler{
			Kind: OpenShiftKind, Live: fake.NewClientBuilder().WithScheme(scheme).WithObjects(tt.mhcs...).Build(),
			Clock: testingclock.NewFakePassiveClock(noon.Time), Recorder: events.NewFakeRecorder(1),
		}
		m := &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "m", Labels: map[string]string{"role": "worker"}, Annotations: tt.machine}}
		why, until := r.pauses(t.Context(), &v1alpha1.RebootRemediation{}, &machine{object: m})
		if !strings.Contains(why, tt.want) || (why == "") != (tt.want == "") || (tt.until > 0 && !until.Equal(noon.Add(tt.until))) {
			t.Errorf("%s: %q until %s", name, why, until)
		}
	}
}
