package remediation

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestRequestOfAnotherHasItsName: a foreign one is neither touched nor adopted, and the slot goes to another machine.
func TestRequestOfAnotherHasItsName(t *testing.T) {
	t.Parallel()
	rows(t, map[string]func(u *unstructured.Unstructured){
		"of a person": func(*unstructured.Unstructured) {},
		"of the machine before": func(u *unstructured.Unstructured) {
			u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "Machine", Name: "a", UID: "before"}})
		},
		"of another record": func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{v1alpha1.OperationAnnotation: "other/1"})
		},
		"of another record, deleting": func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{v1alpha1.OperationAnnotation: "other/1"})
			u.SetFinalizers([]string{keep})
		},
	}, func(t *testing.T, change func(u *unstructured.Unstructured)) {
		t.Helper()
		f := newHarness(t, byTemplate())
		f.template()
		request := f.makeRequest("a", change)
		a := f.sick("a")
		record := f.admit(a)
		f.reconcile(record)
		f.wantRecord(record, "Pending HeldByOthers")
		f.wantSlot(record, false)
		f.judge(a, metav1.ConditionTrue)
		f.reconcile(record)
		if got, ok := stored(f, request); !ok || got.GetResourceVersion() != request.GetResourceVersion() {
			t.Error("the foreign request was touched")
		}
		f.wantRecord(record, "Ended Ended RecoveredUnaided")
	})
}

// makeRequest stores a request that no attempt has made.
func (f *harness) makeRequest(name string, change func(u *unstructured.Unstructured)) *unstructured.Unstructured {
	f.t.Helper()
	request := &unstructured.Unstructured{}
	request.SetGroupVersionKind(fixKind)
	request.SetNamespace(f.ns)
	request.SetName(name)
	change(request)
	build.Create(f.t.Context(), f.t, f.env.Client, request)
	return request
}

// requestOf stores the request of an operation for a Machine; those of Cluster API's own controller name none.
func (f *harness) requestOf(machine *clusterv1.Machine, operation string) {
	f.t.Helper()
	f.makeRequest(machine.Name, func(request *unstructured.Unstructured) {
		if operation != "" {
			request.SetAnnotations(map[string]string{v1alpha1.OperationAnnotation: operation})
		}
		request.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: machine.Name, UID: machine.UID}})
	})
}

// TestRequestOfNobody: a request of Cluster API's own controller, or of a record that is gone, is taken over: nobody else would ever delete it.
func TestRequestOfNobody(t *testing.T) {
	t.Parallel()
	for name, operation := range map[string]string{"of Cluster API's own controller": "", "of a record that is gone": "gone/1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t, byTemplate())
			f.template()
			a := f.sick("a")
			f.requestOf(a, operation)
			record := f.admit(a)
			f.reconcile(record)
			f.wantRecord(record, "Acting Acting request:-")
			f.judge(a, metav1.ConditionTrue)
			f.reconcile(record)
			f.reconcile(record)
			f.wantStanding()
			f.wantRecord(record, "Ended Ended Recovered request:Succeeded")
			if n := count(f.writes.since(), "create"); n > 0 {
				t.Error("another one was made")
			}
		})
	}
}

// TestRequestWithoutTemplate: the slot goes to another machine until there is one. A kind that is not installed makes the attempt impossible.
func TestRequestWithoutTemplate(t *testing.T) {
	t.Parallel()
	type row struct {
		kind schema.GroupVersionKind
		want string
	}
	tests := map[string]row{
		"template":     {templateKind, `The attempt could not be carried out: getting remediation template FixRemediationTemplate fix: fixremediationtemplates.remediation.example.dev "fix" not found`},
		"group":        {schema.GroupVersionKind{Group: "nowhere.example.dev", Version: "v1", Kind: "NoTemplate"}, ""},
		"request kind": {env.RemediationGroupVersion.WithKind("OtherTemplate"), ""},
		"version":      {schema.GroupVersionKind{Group: env.RemediationGroupVersion.Group, Version: "v9", Kind: env.RemediationTemplateKind}, ""},
	}
	rows(t, tests, func(t *testing.T, tt row) {
		t.Helper()
		f := newHarness(t, build.TemplateRef(tt.kind, "fix"))
		record := f.admit(f.sick("a"))
		f.reconcile(record)
		f.wantSlot(record, false)
		if tt.want == "" {
			f.wantRecord(record, "Held NoStepLeft request:Impossible")
			return
		}
		f.wantRecord(record, "Pending Backoff request:NotBegun")
		if got, _ := stored(f, record); ladder.Progress(&got.Status).Message != tt.want {
			t.Errorf("it says %q", ladder.Progress(&got.Status).Message)
		}
		f.template()
		f.pass(time.Minute)
		f.grant(record)
		f.reconcile(record)
		f.wantStanding("FixRemediation a")
	})
}

// unreadableKinds are the answers of an API server that cannot give a request: Sickbay has no rights, and the webhook that converts
// the kind is away with its provider.
var unreadableKinds = map[string]error{
	"no rights":          apierrors.NewForbidden(schema.GroupResource{Resource: "fixremediations"}, "a", errors.New("no rights")),
	"connection refused": apierrors.NewInternalError(errors.New("conversion webhook failed: connection refused")),
}

// TestRequestThatCannotBeRead takes nobody's slot.
func TestRequestThatCannotBeRead(t *testing.T) {
	t.Parallel()
	rows(t, unreadableKinds, func(t *testing.T, cause error) {
		t.Helper()
		f := newHarness(t, byTemplate())
		f.template()
		record := f.admit(f.sick("a"))
		f.Live = f.refuses(fixKind.Kind, cause)
		f.reconcile(record)
		f.wantRecord(record, "Pending Backoff request:NotBegun")
		f.wantSlot(record, false)
	})
}

// TestRequestUnreadableOnceMade: the API server has said that the request was made, so the record knows it, keeps its slot, and withdraws it when
// the machine is healthy.
func TestRequestUnreadableOnceMade(t *testing.T) {
	t.Parallel()
	rows(t, unreadableKinds, func(t *testing.T, cause error) {
		t.Helper()
		f := newHarness(t, byTemplate())
		f.template()
		a := f.sick("a")
		record := f.admit(a)
		f.Live = hooked{f.env.Client, func(key client.ObjectKey, obj client.Object) error {
			if obj.GetObjectKind().GroupVersionKind().Kind != fixKind.Kind || f.env.Client.Get(t.Context(), key, obj) != nil {
				return nil
			}
			return cause
		}}
		f.reconcile(record)
		f.wantRecord(record, "Acting Acting request:-")
		f.wantSlot(record, true)
		f.wantStanding("FixRemediation a")
		f.judge(a, metav1.ConditionTrue)
		f.reconcile(record)
		f.wantStanding()
	})
}

// TestRequestThatCannotBeReadAnyMore: it is deleted all the same when nobody needs it, and "not found" is an answer.
func TestRequestThatCannotBeReadAnyMore(t *testing.T) {
	t.Parallel()
	for name, cause := range unreadableKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t, byTemplate())
			f.template()
			a := f.sick("a")
			record := f.admit(a)
			f.reconcile(record)
			f.Live = f.refuses(fixKind.Kind, cause)
			f.reconcile(record)
			f.wantRecord(record, "Acting Acting request:-")
			f.judge(a, metav1.ConditionTrue)
			f.reconcile(record)
			const says = "Sickbay has deleted FixRemediation a but cannot see whether it is gone: "
			got, _ := stored(f, record)
			if p := ladder.Progress(&got.Status); p.Reason == v1alpha1.ReasonWithdrawing && !strings.HasPrefix(p.Message, says) {
				t.Errorf("it says %q", p.Message)
			}
			f.pass(30 * time.Second)
			f.reconcile(record)
			f.wantRecord(record, "Ended Ended Recovered request:Succeeded")
		})
	}
}

// TestRequestThatCanNeitherBeReadNorDeleted: after an hour Sickbay gives up, says so, and gives the slot back. The record goes on only to its end.
func TestRequestThatCanNeitherBeReadNorDeleted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.template()
	a := f.sick("a")
	record := f.admit(a, by(fixStep(), step(v1alpha1.ActionReplace)))
	f.reconcile(record)
	f.Live = f.refuses(fixKind.Kind, unreadableKinds["no rights"])
	f.writes.fail = failing("delete FixRemediation", errRefused, false)
	f.pass(10 * time.Minute)
	if _, err := f.tryReconcile(record); !errors.Is(err, errRefused) {
		t.Errorf("error is %v", err)
	}
	f.wantRecord(record, "Acting Withdrawing request:TimedOut")
	f.wantSlot(record, true)
	f.events()
	f.pass(time.Hour)
	f.reconcile(record)
	f.wantRecord(record, "Held Unreadable request:TimedOut")
	f.wantSlot(record, false)
	f.wantEvents("Warning RemediationHeld Sickbay has given up withdrawing FixRemediation a")
	f.goes(a)
	f.reconcile(record)
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended MachineDeleted request:TimedOut")
}

// TestRequestThatCannotBeDeleted says so, and is tried again.
func TestRequestThatCannotBeDeleted(t *testing.T) {
	t.Parallel()
	f := newHarness(t, byTemplate())
	f.template()
	a := f.sick("a")
	record := f.admit(a)
	f.reconcile(record)
	f.judge(a, metav1.ConditionTrue)
	f.writes.fail = failing("delete FixRemediation", errRefused, false)
	for range 2 {
		if _, err := f.tryReconcile(record); !errors.Is(err, errRefused) {
			t.Errorf("error is %v", err)
		}
		f.wantRecord(record, "Acting Withdrawing request:-")
		if got, _ := stored(f, record); !strings.Contains(ladder.Progress(&got.Status).Message, "Could not withdraw what was asked for: deleting FixRemediation a: machines \"a\" is forbidden") {
			t.Errorf("it says %q", ladder.Progress(&got.Status).Message)
		}
	}
	if n := count(f.writes.since(), "update status"); n != 3 {
		t.Errorf("%d writes of the status, want that it acts, withdraws, and cannot", n)
	}
	f.writes.fail = failing("delete FixRemediation", context.DeadlineExceeded, true)
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Ended Ended Recovered request:Succeeded")
}

// TestRequestOnItsWayOut: one that another has withdrawn is no attempt. Once it is gone, one is made.
func TestRequestOnItsWayOut(t *testing.T) {
	t.Parallel()
	f := newHarness(t, byTemplate())
	f.template()
	a := f.sick("a")
	f.requestOf(a, "")
	request := f.objects(fixKind)[0]
	change(f, &request, func(u *unstructured.Unstructured) { u.SetFinalizers([]string{keep}) })
	remove(f, &request)
	record := f.admit(a)
	f.reconcile(record)
	f.wantRecord(record, "Pending HeldByOthers")
	change(f, &request, func(u *unstructured.Unstructured) { u.SetFinalizers(nil) })
	f.pass(time.Minute)
	f.grant(record)
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting request:-")
	f.wantStanding("FixRemediation a")
}

// TestLongMessages: what others say is cut to what the API takes.
func TestLongMessages(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.template()
	a := f.sick("a")
	record := f.admit(a, by(evidence(), step(v1alpha1.ActionReplace)))
	f.reconcile(record)
	request := f.objects(fixKind)[0]
	changeStatus(f, &request, func(u *unstructured.Unstructured) {
		u.Object["status"] = map[string]any{"conditions": []any{map[string]any{
			"type": "Succeeded", "status": "False", "message": strings.Repeat("the log of the collector ", 2000),
		}}}
	})
	f.reconcile(record)
	f.wantRecord(record, "Acting Acting evidence:Failed replace:-")
	f.answer(a, clusterv1.MachineSetMachineRemediationDeferredReason, strings.Repeat("later ", 5000))
	f.reconcile(record)
	if got, _ := stored(f, record); len(ladder.Progress(&got.Status).Message) > 2000 {
		t.Errorf("it says %d bytes", len(ladder.Progress(&got.Status).Message))
	}
}

// evidence is a step that has a request for its own sake.
func evidence() v1alpha1.RemediationStep {
	return step(v1alpha1.ActionRequest, func(s *v1alpha1.RemediationStep) {
		s.Name, s.DoneWhen = "evidence", v1alpha1.DoneWhenRequestSucceeded
		s.TemplateRef = &v1alpha1.StepTemplateReference{APIVersion: templateKind.GroupVersion().String(), Kind: templateKind.Kind, Name: "fix"}
	})
}

// fixStep is a step that asks another controller to fix the machine.
func fixStep() v1alpha1.RemediationStep {
	return step(v1alpha1.ActionRequest, func(s *v1alpha1.RemediationStep) {
		s.TemplateRef = &v1alpha1.StepTemplateReference{APIVersion: templateKind.GroupVersion().String(), Kind: templateKind.Kind, Name: "fix"}
	})
}

// TestStepOfAKindThatIsNotInstalled can never begin, and the next step follows.
func TestStepOfAKindThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	missing := fixStep()
	missing.TemplateRef.Kind = "MissingTemplate"
	record := f.admit(f.sick("a"), by(missing, step(v1alpha1.ActionReplace)))
	f.reconcile(record)
	f.wantStanding("a: mark")
	f.wantRecord(record, "Acting Acting request:Impossible replace:-")
}

// TestNextRequestThatCannotBeReadHoldsNothingUp: the machine recovers, or a person cancels, or the MachineHealthCheck is deleted.
func TestNextRequestThatCannotBeReadHoldsNothingUp(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(f *harness, a *clusterv1.Machine, record *v1alpha1.MachineRemediation){
		"recovers": func(f *harness, a *clusterv1.Machine, _ *v1alpha1.MachineRemediation) {
			f.judge(a, metav1.ConditionTrue)
		},
		"no check": func(f *harness, _ *clusterv1.Machine, _ *v1alpha1.MachineRemediation) { remove(f, f.mhc) },
		"deleted":  func(f *harness, _ *clusterv1.Machine, record *v1alpha1.MachineRemediation) { remove(f, record) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			f.template()
			a := f.sick("a")
			record := f.admit(a, by(step(v1alpha1.ActionReboot), fixStep()))
			f.reconcile(record)
			f.cycleBegins(record)
			f.reconcile(record)
			f.Live = f.refuses(fixKind.Kind, unreadableKinds["no rights"])
			f.pass(11 * time.Minute)
			f.reconcile(record)
			happens(f, a, record)
			for range 4 {
				f.reconcile(record)
				f.pass(time.Hour)
			}
			if got, ok := stored(f, record); ok && !ladder.Ended(got) {
				t.Errorf("hours later, record is %q: %s", f.summary(record), ladder.Progress(&got.Status).Message)
			}
		})
	}
}
