package reboot

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// blinded is a cycle of which nothing but the host can be read.
func blinded(f *Facts) {
	f.Blind, f.Host.Ours, f.Node = "The machine cannot be read", false, NodeFacts{}
	f.Machine = MachineFacts{UID: f.Status.MachineUID, ByAnnotation: f.Machine.ByAnnotation, Plain: !f.Status.SingleSteps && f.Status.HoldingSince == nil}
}

// TestBlind: while the Machine cannot be read, the host is let go of when it is time, nothing begins, and no Node is touched.
func TestBlind(t *testing.T) {
	const off, fenced, isolating, cooling, done = v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Isolating, v1alpha1.CoolingDown, v1alpha1.Succeeded
	again := func(o outcome) outcome { return o.lookingAgain(lookAgain) }
	proven := []change{keyed, keySeen, seenOn}
	stands := func(phase v1alpha1.Phase) outcome { return waits(phase, lookAgain) }
	otherHost := func(f *Facts) { f.Host.UID = "h-2" }
	step := asking(v1alpha1.StepPowerOff)
	check(t, []row{
		{name: "the key is not set", facts: in(off, seenOn, blinded), want: stands(off)},
		{name: "it stays until its time is up", facts: in(off, append(proven, blinded)...), want: stands(off)},
		{name: "and no longer", facts: in(off, append(proven, blinded)...), after: powerOffTimeout, want: stores(cooling, "CoolingDown").lookingAgain(powerOffTimeout + lookAgain)},
		{name: "then it goes", facts: in(cooling, keyed, blinded), want: again(does(cooling, RemoveKey))},
		{name: "and no attempt begins", facts: in(cooling, blinded), after: time.Hour, want: stands(cooling).lookingAgain(time.Hour + lookAgain)},
		{name: "the Node is waited for", facts: settled(in(fenced, blinded)), want: stands(fenced)},
		{name: "as long as it may take", facts: settled(in(fenced, blinded)), after: isolateTimeout, want: stores(v1alpha1.PoweringOn, "PoweringOn").lookingAgain(isolateTimeout + lookAgain), node: v1alpha1.ReasonNodeUnreadable},
		{name: "it is not deleted", facts: in(isolating, blinded), want: stands(isolating)},
		{name: "and the host comes on", facts: in(isolating, blinded), after: isolateTimeout, want: stores(v1alpha1.PoweringOn, "PoweringOn").lookingAgain(isolateTimeout + lookAgain)},
		{name: "but not that of a person", facts: in(isolating, step, blinded), after: isolateTimeout, want: stores(v1alpha1.Holding, "Holding").lookingAgain(isolateTimeout + lookAgain)},
		{name: "who holds it off", facts: in(v1alpha1.Holding, step, blinded), after: time.Hour, want: stands(v1alpha1.Holding).lookingAgain(time.Hour + lookAgain)},
		{name: "until he takes it back", facts: in(v1alpha1.Holding, step, blinded, deleting), want: again(stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn))},
		{name: "it is taken back", facts: in(off, append(proven, blinded, deleting)...), want: again(stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn))},
		{name: "the host is let on", facts: in(v1alpha1.PoweringOn, keyed, blinded), want: again(does(v1alpha1.PoweringOn, RemoveKey))},
		{name: "but not another one", facts: in(v1alpha1.PoweringOn, keyed, blinded, otherHost), want: stands(v1alpha1.PoweringOn)},
		{name: "the Node is waited for, and no clock runs", facts: in(v1alpha1.WaitingForNode, blinded), after: 24 * time.Hour, want: stands(v1alpha1.WaitingForNode).lookingAgain(24*time.Hour + lookAgain)},
		{name: "after the end the key goes", facts: in(done, keyed, blinded), want: again(does(done, RemoveKey))},
		{name: "and the rest waits", facts: in(done, blinded), want: stands(done)},
	})
	if s := Decide(in(off, append(proven, blinded)...), noon.Add(powerOffTimeout)).Status; s.Attempt != 0 {
		t.Errorf("that the machine cannot be read counts as attempt %d", s.Attempt)
	}
}

// refusing reads live, and fails for some objects.
func (s *shared) refusing(t *testing.T, refused func(client.Object) bool) client.Reader {
	t.Helper()
	watching, err := client.NewWithWatch(s.e.Config, client.Options{Scheme: s.e.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	return interceptor.NewClient(watching, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if refused(obj) {
				return errors.New("refused by the test")
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
}

// TestLetsGoWithoutTheMachine: the Machine, or the infrastructure machine, cannot be read any more while the host is off. The request is
// deleted, and the host is let go of.
func TestLetsGoWithoutTheMachine(t *testing.T) {
	for name, refused := range map[string]func(client.Object) bool{
		"the Machine":                func(obj client.Object) bool { _, is := obj.(*clusterv1.Machine); return is },
		"the infrastructure machine": func(obj client.Object) bool { _, is := obj.(*metav1.PartialObjectMetadata); return is },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShared(t)
			request := s.ask("m", v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson})
			if s.look(request); !s.held(request) {
				t.Fatalf("in phase %s, with keys %v", request.Status.Phase, s.keys())
			}
			s.r.Live = s.refusing(t, refused)
			if s.look(request); !s.held(request) || request.Status.Phase != v1alpha1.PoweringOff {
				t.Fatalf("before its time it is in phase %s, with keys %v", request.Status.Phase, s.keys())
			}
			s.delete(request)
			if s.look(request); len(s.keys()) > 0 || request.Status.Phase != v1alpha1.Aborted {
				t.Fatalf("in phase %s, with keys %v", request.Status.Phase, s.keys())
			}
			s.r.Live = s.e.Client
			if s.look(request).Status.Phase != gone {
				t.Errorf("then it is in phase %s, with finalizers %v", request.Status.Phase, request.Finalizers)
			}
		})
	}
}

// TestStaleRecord: who has just begun to lead may have an old record in the cache. What a later one has taken back is not done.
func TestStaleRecord(t *testing.T) {
	s := newShared(t)
	request := s.ask("m", v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson})
	s.look(request)
	old := request.DeepCopy()
	s.delete(request)
	if s.look(request); len(s.keys()) > 0 {
		t.Fatalf("let go of, and the keys are %v", s.keys())
	}
	v, err := s.r.observe(t.Context(), old, &visit{places: &s.r.places})
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range []Action{SetKey, RemoveKey, DeleteNode, TaintNode, UntaintNode, RestoreNode, MarkForOwner, DropAsked, DropAll} {
		err := s.r.do(t.Context(), old, v, Decision{Action: action, AskedAt: noon.Time})
		if slices.Contains([]Action{RemoveKey}, action) {
			continue // The host may be let go of all the same.
		}
		if err == nil || len(s.keys()) > 0 {
			t.Errorf("%s: %v; the keys are %v", action, err, s.keys())
		}
	}
}

// TestBlindEndClaimsNothing: that nobody owns the machine is not said when that is not known.
func TestBlindEndClaimsNothing(t *testing.T) {
	s := Decide(in(v1alpha1.PoweringOn, lastAttempt, untouched, blinded), noon.Add(powerOnTimeout)).Status
	if got := messageOf(s); s.Phase != v1alpha1.Failed || strings.Contains(got, "owns") {
		t.Errorf("in phase %s: %q", s.Phase, got)
	}
}
