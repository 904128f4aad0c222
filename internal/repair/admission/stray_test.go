package admission

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// TestStrayRequest: a request that clusterctl move has taken along with its Machine names a record that is nowhere. If
// the machine is healthy by now, nobody makes a record for it, and the controller of the request goes on with a healthy machine.
func TestStrayRequest(t *testing.T) {
	for name, target := range map[string]Target{"healthy": healthy("a"), "sick": sick("a")} {
		request := &metav1.PartialObjectMetadata{}
		request.Kind, request.Name = "Metal3Remediation", "a"
		request.Annotations = map[string]string{v1alpha1.OperationAnnotation: "a-record-that-is-nowhere/1"}
		request.OwnerReferences = []metav1.OwnerReference{{Kind: "Machine", Name: "a", UID: target.Machine.UID}}
		f := facts(check(byTemplate()), target)
		f.Targets[0].Stray = Stray(target.Machine, request)
		if d := Decide(f, now); len(d.Admit) != 1 {
			t.Errorf("%s: nobody looks after its request", name)
		}
	}
}

// TestStrayMark: a mark that a power cycle without a record has set gets a record, unless the machine had a record at that time: that one
// has seen the mark.
func TestStrayMark(t *testing.T) {
	endedAt := func(at time.Time) recordOption {
		return func(r *v1alpha1.MachineRemediation) {
			ended(r)
			r.Status.CompletionTime = &metav1.Time{Time: at}
		}
	}
	for name, tt := range map[string]struct {
		records []recordOption
		by      string
		want    bool
	}{
		"no record":             {nil, ownwrites.RebootMarkFieldOwner, true},
		"marked by others":      {nil, "others", false},
		"marked by a record":    {nil, ownwrites.RemediationFieldOwner, false},
		"a record ended before": {[]recordOption{endedAt(ago(2 * time.Hour))}, ownwrites.RebootMarkFieldOwner, true},
		"a record ended after":  {[]recordOption{endedAt(ago(time.Minute))}, ownwrites.RebootMarkFieldOwner, false},
	} {
		target := healthy("a", marked(tt.by))
		mark := markOf(target.Machine)
		mark.LastTransitionTime = metav1.NewTime(ago(time.Hour))
		target.Stray = Stray(target.Machine, nil)
		f := facts(check(), target)
		if tt.records != nil {
			f = f.with(recordOf("a", tt.records...))
		}
		if d := Decide(f, now); (len(d.Admit) == 1) != tt.want {
			t.Errorf("%s: admitted are %v", name, admitted(d))
		}
	}
}
