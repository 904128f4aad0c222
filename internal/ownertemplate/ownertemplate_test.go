package ownertemplate_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownertemplate"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// owner answers with an owner, or an error.
type owner struct {
	client.Reader
	path  []string
	err   error
	reads *int
}

func (o owner) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	*o.reads++
	if o.err != nil || len(o.path) == 0 {
		return o.err
	}
	return unstructured.SetNestedStringMap(obj.(*unstructured.Unstructured).Object, map[string]string{rebootannotation.PowerOff: ""}, o.path...)
}

const sign = "6f1c9d1e-0000-4000-8000-000000000001/1"

func TestCarried(t *testing.T) {
	set, plane := []string{"spec", "template", "metadata", "annotations"}, []string{"spec", "machineTemplate", "metadata", "annotations"}
	broken := errors.New("no connection")
	down := apierrors.NewInternalError(errors.New("conversion webhook failed: connection refused"))
	forbidden := apierrors.NewForbidden(schema.GroupResource{}, "o", broken)
	for name, tt := range map[string]struct {
		owner   owner
		value   string
		carried bool
		err     error
	}{
		"a MachineSet":             {owner{path: set}, "", true, nil},
		"a control plane":          {owner{path: plane}, "please", true, nil},
		"neither":                  {owner{}, "", false, nil},
		"it may not be read":       {owner{err: forbidden}, "", false, nil},
		"it is gone":               {owner{err: apierrors.NewNotFound(schema.GroupResource{}, "o")}, "", false, nil},
		"it cannot be read":        {owner{err: broken}, "", false, broken},
		"its webhook is down":      {owner{err: down}, "", false, down},
		"it asks for nothing else": {owner{path: set}, sign, false, nil},
	} {
		tt.owner.reads = new(int)
		machine := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{rebootannotation.PowerOff: tt.value, rebootannotation.Request: "x"}}}
		if tt.value == sign {
			delete(machine.Annotations, rebootannotation.Request)
		}
		machine.OwnerReferences = []metav1.OwnerReference{{APIVersion: "some/v1", Kind: "Owner", Name: "o", Controller: new(true)}}
		got, err := ownertemplate.Carried(t.Context(), tt.owner, machine)
		unknown := tt.err != nil
		if slices.Contains(got, rebootannotation.PowerOff) != (tt.carried || unknown) || (len(got) > 1) != unknown || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if reads := *tt.owner.reads; (reads > 0) != (tt.value != sign) {
			t.Errorf("%s: it is read %d times", name, reads)
		}
		left, err := ownertemplate.Without(t.Context(), tt.owner, machine)
		if _, kept := left.Annotations[rebootannotation.PowerOff]; kept == tt.carried || !errors.Is(err, tt.err) || machine.Annotations[rebootannotation.PowerOff] != tt.value {
			t.Errorf("%s: left is %v, %v", name, left.Annotations, err)
		}
	}
}
