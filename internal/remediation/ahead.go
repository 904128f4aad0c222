package remediation

import (
	"context"
	"fmt"
	"reflect"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
)

// ahead is a reader past the cache that has asked already, side by side, for what is read one by one.
type ahead struct {
	client.Reader
	answers map[string]*answer
}

type answer struct {
	done chan struct{}
	obj  client.Object
	err  error
}

func question(obj client.Object, key client.ObjectKey) string { return fmt.Sprintf("%T %s", obj, key) }

// ask reads an object in the background.
func (a *ahead) ask(obj client.Object, key client.ObjectKey, read func(client.Object) (client.Object, error)) {
	one := &answer{done: make(chan struct{})}
	a.answers[question(obj, key)] = one
	go func() {
		defer close(one.done)
		one.obj, one.err = read(obj)
	}()
}

// Get implements client.Reader.
func (a *ahead) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	one, asked := a.answers[question(obj, key)]
	if !asked {
		return a.Reader.Get(ctx, key, obj, opts...)
	}
	<-one.done
	if one.err == nil {
		reflect.ValueOf(obj).Elem().Set(reflect.ValueOf(one.obj).Elem())
	}
	return one.err
}

// lookAhead asks for all that a look at a record is going to need, as far as the caches show what that is.
func (r *Reconciler) lookAhead(ctx context.Context, record *v1alpha1.MachineRemediation, how depth, shown *view) *ahead {
	a := &ahead{Reader: r.Live, answers: map[string]*answer{}}
	if !r.sideBySide {
		return a
	}
	own := func(obj client.Object, key client.ObjectKey) {
		a.ask(obj, key, func(obj client.Object) (client.Object, error) { return obj, r.Live.Get(ctx, key, obj) })
	}
	common := func(obj client.Object, key client.ObjectKey) {
		a.ask(obj, key, func(obj client.Object) (client.Object, error) { return r.shared.get(ctx, r.Live, key, obj) })
	}
	if how >= current {
		own(&v1alpha1.MachineRemediation{}, client.ObjectKeyFromObject(record))
	}
	own(&clusterv1.Machine{}, machineKey(record))
	if shown == nil || shown.mhc == nil {
		return a
	}
	common(&clusterv1.Cluster{}, clusterKey(record))
	common(&clusterv1.MachineHealthCheck{}, client.ObjectKeyFromObject(shown.mhc))
	if admission.NamesPlan(shown.mhc) {
		common(&v1alpha1.MachineRemediationTemplate{}, planKey(shown.mhc))
	}
	return a
}
