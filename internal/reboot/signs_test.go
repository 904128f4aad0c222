package reboot

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestSigns: the sign of a record's power cycle makes nothing. Without an open record of the Machine it goes, unless the records cannot be
// read.
func TestSigns(t *testing.T) {
	s := newShared(t)
	of := func(r *v1alpha1.MachineRemediation) string { return string(r.UID) + "/2" }
	open, ended, others := s.record(1), s.record(2), s.record(3)
	ended.Status.CompletionTime = new(metav1.Now())
	if err := s.e.Client.Status().Update(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	others.Labels[v1alpha1.MachineUIDLabel] = "another"
	if err := s.e.Client.Update(t.Context(), others); err != nil {
		t.Fatal(err)
	}
	noKind := apierrors.NewNotFound(schema.GroupResource{}, "")
	for name, tt := range map[string]struct {
		value         string
		unread        error
		stays, failed bool
	}{
		"of an open record":                               {of(open), nil, true, false},
		"of a record that has ended":                      {of(ended), nil, false, false},
		"of a record that is nowhere":                     {sign, nil, false, false},
		"of another Machine":                              {of(others), nil, false, false},
		"of an open record, and the list fails":           {of(open), errors.New("not now"), true, true},
		"of a record that is nowhere, and the list fails": {sign, errors.New("not now"), true, true},
		"the kind is not installed":                       {sign, noKind, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := annotatedAnew(t, s.e, s.ns, tt.value)
			live := s.e.Intercept(t, interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				if tt.unread != nil {
					return tt.unread
				}
				return c.List(ctx, list, opts...)
			}})
			if err := trigger(t, s.e.Client, live, m); (err != nil) != tt.failed {
				t.Errorf("the error is %v", err)
			}
			if _, stays := reread(t, s.e, m).Annotations[rebootannotation.Request]; stays != tt.stays {
				t.Errorf("it stays: %t", stays)
			}
			if made := cyclesIn(t, s.e, s.ns); len(made) > 0 {
				t.Errorf("it has made %s", made[0].Name)
			}
		})
	}
}

// annotatedAnew sets the annotation for a full cycle on Machine m.
func annotatedAnew(t *testing.T, e *env.Env, ns, value string) *clusterv1.Machine {
	t.Helper()
	m := reread(t, e, build.Machine(ns, "m"))
	metav1.SetMetaDataAnnotation(&m.ObjectMeta, rebootannotation.Request, value)
	if err := e.Client.Update(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return m
}

func cyclesIn(t *testing.T, e *env.Env, ns string) []v1alpha1.RebootRemediation {
	t.Helper()
	var list v1alpha1.RebootRemediationList
	if err := e.Client.List(t.Context(), &list, client.InNamespace(ns)); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// TestSignOfAnOldCache: a person has overwritten the sign, or the Machine is gone, and the cache does not show that yet. What the person asks
// for stays.
func TestSignOfAnOldCache(t *testing.T) {
	e := env.Get(t)
	m, _ := triggered(t, e, maps.Clone(showsSign), false, cycle.Facts{})
	old := scaffold.MetadataOf(ClusterAPIKind)
	if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(m), old); err != nil {
		t.Fatal(err)
	}
	annotatedAnew(t, e, m.Namespace, "now")
	if err := trigger(t, lagging(t, e, old), e.Client, m); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{rebootannotation.Request: "now"}, reread(t, e, m).Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if err := e.Client.Delete(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if err := trigger(t, lagging(t, e, old), e.Client, m); err != nil {
		t.Error(err)
	}
}

// TestSignInACycleOfSteps: a record's sign comes onto a Machine whose host a person has switched off. It neither widens that cycle nor goes
// with the annotations that are done.
func TestSignInACycleOfSteps(t *testing.T) {
	const on = rebootannotation.Request + "/PowerOn"
	e := env.Get(t)
	m, request := triggered(t, e, map[string]string{rebootannotation.Request: sign, on: ""}, true, in(v1alpha1.Holding))
	read := &machine{object: reread(t, e, m)}
	f := in(v1alpha1.Holding)
	f.Machine = read.facts(request)
	if f.Full() {
		t.Error("the sign widens the cycle")
	}
	d := cycle.Decision{Action: cycle.DropAll, Done: []v1alpha1.Step{v1alpha1.StepPowerOff, v1alpha1.StepPowerOn}}
	if err := (&Reconciler{Client: e.Client, Live: e.Client}).do(t.Context(), request, view{machine: read, facts: f}, d); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(showsSign, reread(t, e, m).Annotations, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}
