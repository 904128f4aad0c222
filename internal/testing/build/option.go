package build

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Epoch is when everything was built and became ready, unless an option says otherwise. An API server sets
// the creation time itself.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// option changes an object, and fits only the kinds that its type names: a test that gives it to another kind panics.
type option interface{ apply(obj metav1.Object) }

type (
	// ClusterOption changes a Cluster.
	ClusterOption = option
	// MachineOption changes a Machine.
	MachineOption = option
	// MachineSetOption changes a MachineSet.
	MachineSetOption = option
	// MachineHealthCheckOption changes a MachineHealthCheck.
	MachineHealthCheckOption = option
	// NodeOption changes a Node.
	NodeOption = option
	// ClusterFunc is a ClusterOption.
	ClusterFunc func(*clusterv1.Cluster)
	// MachineFunc is a MachineOption.
	MachineFunc func(*clusterv1.Machine)
	// MachineSetFunc is a MachineSetOption.
	MachineSetFunc func(*clusterv1.MachineSet)
	// MachineHealthCheckFunc is a MachineHealthCheckOption.
	MachineHealthCheckFunc func(*clusterv1.MachineHealthCheck)
	// NodeFunc is a NodeOption.
	NodeFunc func(*corev1.Node)
)

func (f ClusterFunc) apply(obj metav1.Object)            { f(obj.(*clusterv1.Cluster)) }
func (f MachineFunc) apply(obj metav1.Object)            { f(obj.(*clusterv1.Machine)) }
func (f MachineSetFunc) apply(obj metav1.Object)         { f(obj.(*clusterv1.MachineSet)) }
func (f MachineHealthCheckFunc) apply(obj metav1.Object) { f(obj.(*clusterv1.MachineHealthCheck)) }
func (f NodeFunc) apply(obj metav1.Object)               { f(obj.(*corev1.Node)) }

// changed returns an object after all options.
func changed[T metav1.Object](obj T, opts ...option) T {
	for _, opt := range opts {
		opt.apply(obj)
	}
	return obj
}

// Option changes the metadata of an object of any kind.
type Option func(metav1.Object)

func (o Option) apply(obj metav1.Object) { o(obj) }

// Label sets a label.
func Label(key, value string) Option {
	return func(o metav1.Object) { o.SetLabels(with(o.GetLabels(), key, value)) }
}

// Annotation sets an annotation.
func Annotation(key, value string) Option {
	return func(o metav1.Object) { o.SetAnnotations(with(o.GetAnnotations(), key, value)) }
}

func with(values map[string]string, key, value string) map[string]string {
	if values == nil {
		values = map[string]string{}
	}
	values[key] = value
	return values
}

// CreatedAt sets the time of creation, for objects that do not go through an API server.
func CreatedAt(t time.Time) Option {
	return func(o metav1.Object) { o.SetCreationTimestamp(metav1.NewTime(t)) }
}

// UID sets the UID, for objects that do not go through an API server.
func UID(uid types.UID) Option {
	return func(o metav1.Object) { o.SetUID(uid) }
}

// Generation sets the generation, for objects that do not go through an API server.
func Generation(generation int64) Option {
	return func(o metav1.Object) { o.SetGeneration(generation) }
}

// Finalizer adds a finalizer.
func Finalizer(name string) Option {
	return func(o metav1.Object) { o.SetFinalizers(append(o.GetFinalizers(), name)) }
}

// Deleting marks the object as being deleted since t, with a finalizer that keeps it there. Create does the
// same to the stored object, but the API server sets the time of deletion.
func Deleting(t time.Time) Option {
	return func(o metav1.Object) {
		o.SetDeletionTimestamp(&metav1.Time{Time: t})
		Finalizer("test.sickbay.dev/keep")(o)
	}
}

// ControlledBy makes another object the controller of this one. If an API server is used, store the other
// object first, since its UID is not known before.
func ControlledBy(owner metav1.Object, kind schema.GroupVersionKind) Option {
	return func(o metav1.Object) {
		o.SetOwnerReferences(append(o.GetOwnerReferences(), *metav1.NewControllerRef(owner, kind)))
	}
}

func objectMeta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace:         namespace,
		Name:              name,
		UID:               types.UID("uid-of-" + name),
		Generation:        1,
		CreationTimestamp: metav1.NewTime(Epoch),
	}
}
