package v1alpha1_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

// line is what kubectl get shows of an object.
type line struct {
	phase   v1alpha1.Phase
	status  v1alpha1.RebootRemediationStatus
	message string
	want    []any
}

// TestColumnsTellTheStory shows a cycle from phase to phase. The times are half past an hour: the API server
// converts them to ages by its own clock.
func TestColumnsTellTheStory(t *testing.T) {
	ago := func(hours int) *metav1.Time {
		return new(metav1.NewTime(time.Now().Add(-time.Duration(hours)*time.Hour - minutes(30))))
	}
	var (
		found   = v1alpha1.RebootRemediationStatus{Host: &v1alpha1.HostIdentity{Name: "host", UID: "u"}, Node: &v1alpha1.NodeRecord{Name: "node"}}
		off, on = found, found
	)
	off.PoweredOffAt = ago(20)
	on.PoweredOffAt, on.LastPoweredOn = ago(20), ago(10)
	lines := []line{
		{"", v1alpha1.RebootRemediationStatus{}, "", make([]any, 6)},
		{v1alpha1.Pending, v1alpha1.RebootRemediationStatus{}, "Looking for the host", []any{"Pending", nil, nil, nil, nil, "Looking for the host"}},
		{v1alpha1.PoweringOff, found, "Waiting until the host is proven off", []any{"PoweringOff", "host", "node", nil, nil, "Waiting until the host is proven off"}},
		{v1alpha1.Fenced, off, "The host is off", []any{"Fenced", "host", "node", "20h", nil, "The host is off"}},
		{v1alpha1.Isolating, off, "m", []any{"Isolating", "host", "node", "20h", nil, "m"}},
		{v1alpha1.Holding, off, "m", []any{"Holding", "host", "node", "20h", nil, "m"}},
		{v1alpha1.PoweringOn, off, "m", []any{"PoweringOn", "host", "node", "20h", nil, "m"}},
		{v1alpha1.WaitingForNode, on, "m", []any{"WaitingForNode", "host", "node", "20h", "10h", "m"}},
		{v1alpha1.Restoring, on, "m", []any{"Restoring", "host", "node", "20h", "10h", "m"}},
		{v1alpha1.Succeeded, on, "m", []any{"Succeeded", "host", "node", "20h", "10h", "m"}},
		{v1alpha1.Failed, off, "m", []any{"Failed", "host", "node", "20h", nil, "m"}},
		{v1alpha1.Aborted, found, "m", []any{"Aborted", "host", "node", nil, nil, "m"}},
	}
	e := env.Get(t)
	ns := e.Namespace(t)
	for i, line := range lines {
		build.Create(t.Context(), t, e.Client, line.build(ns, fmt.Sprintf("m%02d", i)))
	}
	for phase := range phases {
		if !slices.ContainsFunc(lines, func(l line) bool { return l.phase == phase }) {
			t.Errorf("there is no line for phase %s", phase)
		}
	}
	got := table(t, e.Config, ns, "rebootremediations")
	if diff := cmp.Diff([]string{"Name", "Phase", "Host", "Node", "Off since", "On since", "Message", "Age"}, columns(got)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	for i, line := range lines {
		cells := got.Rows[i].Cells
		if age := cells[len(cells)-1].(string); age == "" || age == "<unknown>" {
			t.Errorf("line %d has the age %q", i, age)
		}
		if diff := cmp.Diff(append([]any{fmt.Sprintf("m%02d", i)}, line.want...), cells[:len(cells)-1]); diff != "" {
			t.Errorf("line %d, phase %s (-want +got):\n%s", i, line.phase, diff)
		}
	}
}

func (l line) build(ns, name string) *v1alpha1.RebootRemediation {
	object := remediation(ns, name, v1alpha1.RebootSettings{})
	l.status.DeepCopyInto(&object.Status)
	object.Status.Phase = l.phase
	// The message of another condition must not be shown.
	object.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionHostAvailable, Status: metav1.ConditionTrue, Reason: "R", Message: "other"}}
	if l.message != "" {
		object.Status.Conditions = append(object.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: "R", Message: l.message})
	}
	for i := range object.Status.Conditions {
		object.Status.Conditions[i].LastTransitionTime = metav1.NewTime(build.Epoch)
	}
	return object
}

func TestColumnsOfTemplates(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	build.Create(t.Context(), t, e.Client, unstructuredOf("RebootRemediationTemplate", ns, "cycle"))
	got := table(t, e.Config, ns, "rebootremediationtemplates")
	if diff := cmp.Diff([]string{"Name", "Isolation", "Retries", "Age"}, columns(got)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{"cycle", nil, 1.0}, got.Rows[0].Cells[:3]); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

// table returns the table that kubectl get prints.
func table(t *testing.T, config *rest.Config, ns, resource string) *metav1.Table {
	t.Helper()
	config = rest.CopyConfig(config)
	config.APIPath, config.GroupVersion, config.NegotiatedSerializer = "/apis", &v1alpha1.GroupVersion, scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	data, err := client.Get().Namespace(ns).Resource(resource).SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := &metav1.Table{}
	if err := json.Unmarshal(data, got); err != nil || got.Kind != "Table" {
		t.Fatalf("got a %s, %v: %s", got.Kind, err, data)
	}
	return got
}

func columns(table *metav1.Table) []string {
	var names []string
	for _, column := range table.ColumnDefinitions {
		names = append(names, column.Name)
	}
	return names
}
