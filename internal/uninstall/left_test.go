package uninstall

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// object returns an object of a kind that a manager has written to.
func object(kind schema.GroupVersionKind, annotations map[string]string, finalizers []string, manager, fields string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(kind)
	obj.SetNamespace("blue")
	obj.SetName("it")
	obj.SetAnnotations(annotations)
	obj.SetFinalizers(finalizers)
	set := &metav1.FieldsV1{}
	set.SetRawBytes([]byte(fields))
	obj.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: manager, FieldsV1: set}})
	return obj
}

// TestLeft: what a field manager of Sickbay's still owns on an object is to be taken back, and nothing else. So is a record that is not over.
func TestLeft(t *testing.T) {
	machine, check := kinds[1], kinds[3]
	handed := map[string]string{"cluster.x-k8s.io/paused": "sickbay"}
	const condition = `{"f:status":{"f:conditions":{".":{},"k:{\"type\":\"OwnerRemediated\"}":{".":{},"f:reason":{}}}}}`
	const annotation = `{"f:metadata":{"f:annotations":{".":{},"f:cluster.x-k8s.io/paused":{}}}}`
	for name, tt := range map[string]struct {
		obj         *unstructured.Unstructured
		ours, yours []string
	}{
		"a condition":                    {object(machine, nil, nil, "sickbay-remediation", condition), []string{"condition OwnerRemediated"}, nil},
		"a condition of others":          {object(machine, nil, nil, "capi", condition), nil, nil},
		"a name that begins like ours":   {object(machine, nil, nil, "sickbayer", condition), nil, nil},
		"a name that has no fields left": {object(machine, nil, nil, "sickbay-reboot", `{"f:metadata":{"f:annotations":{".":{}}}}`), nil, nil},
		"a status field":                 {object(check, nil, nil, "sickbay-machinehealthcheck", `{"f:status":{"f:targets":{}}}`), []string{"status.targets"}, nil},
		"a label and an owner": {
			object(check, nil, nil, "sickbay-machinehealthcheck-metadata", `{"f:metadata":{"f:labels":{"f:a/b":{}},"f:ownerReferences":{"k:{\"uid\":\"u\"}":{}}}}`),
			[]string{"an owner reference", "label a/b"}, nil,
		},
		"a pause for an upgrade":    {object(check, map[string]string{"cluster.x-k8s.io/paused": "upgrade"}, nil, "sickbay-upgradepause", annotation), []string{"annotation cluster.x-k8s.io/paused"}, nil},
		"handed over by a label":    {object(check, handed, nil, "sickbay-adoption", annotation), []string{"annotation cluster.x-k8s.io/paused"}, nil},
		"handed over after a pause": {object(check, handed, nil, "sickbay-upgradepause", annotation), nil, []string{"cluster.x-k8s.io/paused"}},
		"a hold by the command":     {object(machine, map[string]string{"sickbay.dev/hold-until": "x"}, nil, "sickbay-cli", annotation), nil, []string{"sickbay.dev/hold-until"}},
		"a key that nobody knows":   {object(machine, map[string]string{"sickbay.dev/typo": "x"}, nil, "kubectl", "{}"), nil, []string{"sickbay.dev/typo"}},
		"a note of Sickbay's":       {object(machine, map[string]string{"sickbay.dev/external-remediation-outcome": "x"}, nil, "kubectl", "{}"), nil, nil},
		"a record that is not over": {object(records, nil, []string{"sickbay.dev/remediation"}, "sickbay-remediation", condition), []string{"it is not over"}, nil},
		"a record that is closed soon": {
			func() *unstructured.Unstructured {
				obj := object(records, nil, []string{"sickbay.dev/remediation"}, "sickbay-remediation", condition)
				obj.Object["status"] = map[string]any{"completionTime": "2026-06-01T12:00:00Z"}
				return obj
			}(), []string{"it has ended, and its finalizer goes within minutes"}, nil,
		},
		"a time that Sickbay wrote": {
			object(check, map[string]string{"sickbay.dev/resumed-at": "x"}, nil, "sickbay-upgradepause", `{"f:metadata":{"f:annotations":{"f:sickbay.dev/resumed-at":{}}}}`),
			[]string{"annotation sickbay.dev/resumed-at"}, nil,
		},
		"a time that a person wrote":  {object(check, map[string]string{"sickbay.dev/resumed-at": "x"}, nil, "kubectl", "{}"), nil, []string{"sickbay.dev/resumed-at"}},
		"history":                     {object(records, nil, []string{"example.dev/keep"}, "sickbay-remediation", condition), nil, nil},
		"a power cycle that owes":     {object(cycles, nil, []string{"sickbay.dev/reboot-node"}, "sickbay-reboot", condition), []string{"it is not over"}, nil},
		"fields that nobody can read": {object(machine, nil, nil, "sickbay-reboot", `[]`), []string{""}, nil},
		"a machine that is on its way": {
			func() *unstructured.Unstructured {
				obj := object(machine, nil, nil, "sickbay-remediation", condition)
				obj.SetDeletionTimestamp(new(metav1.Now()))
				return obj
			}(), nil, nil,
		},
	} {
		if diff := cmp.Diff(tt.ours, ours(tt.obj), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: ours (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.yours, yours(tt.obj)); diff != "" {
			t.Errorf("%s: yours (-want +got):\n%s", name, diff)
		}
	}
}

// TestWaits: it is over only when nothing is left and nobody writes it again. Until then, it says who has to do something.
func TestWaits(t *testing.T) {
	left := []Item{{Object: object(records, nil, nil, "", ""), Ours: []string{"it is not over"}}}
	history := []Item{{Object: object(records, nil, nil, "", ""), Yours: []string{"x"}}}
	drains := Leader{"pod-0", scope.Scope{Drain: true}}
	green := Leader{"pod-1", scope.Scope{Drain: true, Namespace: "green"}}
	blue := Leader{"pod-2", scope.Scope{Drain: true, Namespace: "blue"}}
	repairs := Leader{"pod-3", scope.Scope{Namespace: "green"}}
	const again = "pod-3 leads, and does not drain, so it would write everything again. " + howToDrain
	for name, tt := range map[string]struct {
		seen Seen
		want string
	}{
		"nothing":                       {Seen{Items: history}, ""},
		"nothing, and it drains":        {Seen{Items: history, Leaders: []Leader{drains}}, ""},
		"nothing, and it does not":      {Seen{Leaders: []Leader{drains, repairs}}, again},
		"nothing, leaders unread":       {Seen{LeadersUnread: true}, ""},
		"left, and it does not":         {Seen{Items: left, Leaders: []Leader{repairs}}, again},
		"left, and it drains":           {Seen{Items: left, Leaders: []Leader{drains}}, "Waiting for pod-0 to take back what is left on 1 object"},
		"left, one of two looks there":  {Seen{Items: left, Leaders: []Leader{green, blue}}, "Waiting for pod-1 and pod-2 to take back what is left on 1 object"},
		"left, where none of them does": {Seen{Items: left, Leaders: []Leader{green}}, "No manager that drains looks at namespace blue. Start one for all namespaces, or use -n"},
		"left, and nobody leads":        {Seen{Items: left}, "No manager leads, so nobody takes this back. Start one with --drain and --leader-elect: scale its Deployment up again, or run sickbay manager on your computer"},
		"left, leaders unread":          {Seen{Items: left, LeadersUnread: true}, "You may not read leases, so it is unknown whether a manager takes this back"},
	} {
		if got := tt.seen.Waits(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// FuzzFields: whatever the managed fields are, they are named, or nothing is.
func FuzzFields(f *testing.F) {
	for _, seed := range []string{`{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{}}}}`, `{"f:a":{".":{}}}`, `null`, `{"k:":{}}`, `{"f:metadata":{"f:annotations":{"f:\xff":{}}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, raw []byte) { fields(raw, nil) })
}
