package report_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/report"
)

// labelled returns a condition with the status in the object's label, or none without it.
func labelled(obj client.Object) []healthcheck.Condition {
	status, ok := obj.GetLabels()["status"]
	if !ok {
		return nil
	}
	return []healthcheck.Condition{condition("Ready", healthcheck.Status(status))}
}

func object[T client.Object](obj T, namespace, name, status string) T {
	obj.SetNamespace(namespace)
	obj.SetName(name)
	obj.SetCreationTimestamp(metav1.NewTime(now))
	if status != "" {
		obj.SetLabels(map[string]string{"status": status})
	}
	return obj
}

// TestObjects: the overview contains exactly the listed objects.
func TestObjects(t *testing.T) {
	pods := report.Objects[*corev1.Pod]{
		Reader: fake.NewFakeClient(object(&corev1.Pod{}, "ns", "a", "True"), object(&corev1.Pod{}, "ns", "b", "False"),
			object(&corev1.Pod{}, "ns", "c", ""), object(&corev1.Pod{}, "other", "d", "False")),
		NewList:     func() client.ObjectList { return &corev1.PodList{} },
		ListOptions: []client.ListOption{client.InNamespace("ns")},
		Conditions:  func(pod *corev1.Pod) []healthcheck.Condition { return labelled(pod) },
	}
	none := pods
	none.ListOptions = []client.ListOption{client.InNamespace("empty")}
	degraded := pods
	degraded.Negative = []string{"Ready"}
	stale := pods
	stale.Wants, stale.StaleAfter, stale.Clock = []string{"Ready"}, time.Minute, testingclock.NewFakePassiveClock(now.Add(time.Minute))
	stale.ConfirmedAt = func(pod *corev1.Pod) time.Time { return pod.CreationTimestamp.Time }
	nodes := report.Objects[*corev1.Node]{
		Reader: fake.NewFakeClient(object(&corev1.Node{}, "", "n", "True")), NewList: func() client.ObjectList { return &corev1.NodeList{} },
		Conditions: func(node *corev1.Node) []healthcheck.Condition { return labelled(node) },
	}
	tests := map[string]struct {
		overview func(context.Context) (report.Overview, error)
		want     []string
	}{
		"some": {pods.Overview, []string{`False RFalse [] "ns/b Ready: Ready is False"`, "ns/b|False|Ready|False|RFalse|Ready is False", "ns/c|Unknown||Unknown|NoConditions|there are no conditions", "ns/a|True|Ready|True|RTrue|Ready is True"}},
		"negative": {degraded.Overview, []string{
			`False RTrue [] "ns/a Ready: Ready is True"`, "ns/a|False|Ready|True|RTrue|Ready is True",
			"ns/c|Unknown||Unknown|NoConditions|there are no conditions", "ns/b|True|Ready|False|RFalse|Ready is False",
		}},
		"none":              {none.Overview, []string{`Unknown NoSubjects [] "there is nothing to report on"`}},
		"without namespace": {nodes.Overview, []string{`True Healthy [] ""`, "n|True|Ready|True|RTrue|Ready is True"}},
		"stale": {stale.Overview, []string{
			`Unknown Stale [] "ns/a Ready: not confirmed for 1m0s; it was True: RTrue: Ready is True; ns/b Ready: not confirmed for 1m0s; it was False: RFalse: Ready is False; ns/c Ready: there is no such condition"`,
			"ns/a|Unknown|Ready|Unknown|Stale|not confirmed for 1m0s; it was True: RTrue: Ready is True", "ns/b|Unknown|Ready|Unknown|Stale|not confirmed for 1m0s; it was False: RFalse: Ready is False", "ns/c|Unknown|Ready|Unknown|ConditionMissing|there is no such condition"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, err := tt.overview(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, lines(o)); diff != "" {
				t.Errorf("overview (-want +got):\n%s", diff)
			}
		})
	}
}

// failing is a reader whose lists fail.
type failing struct{ client.Reader }

func (failing) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("no cache")
}

// TestObjectsThatCannotBeListed: a failed list is an error, not an overview.
func TestObjectsThatCannotBeListed(t *testing.T) {
	objects := report.Objects[*corev1.Node]{Reader: failing{}, NewList: func() client.ObjectList { return &corev1.NodeList{} }}
	if _, err := objects.Overview(t.Context()); err == nil || err.Error() != "listing objects: no cache" {
		t.Errorf("the error is %v", err)
	}
	objects.Reader = fake.NewFakeClient(object(&corev1.Pod{}, "ns", "a", "True"))
	objects.NewList = func() client.ObjectList { return &corev1.PodList{} }
	if _, err := objects.Overview(t.Context()); err == nil || err.Error() != "a *v1.PodList has a *v1.Pod in it, want a *v1.Node" {
		t.Errorf("the error is %v", err)
	}
}
