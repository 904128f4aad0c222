package upgradepause

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// FieldOwner is the field manager of our writes to MachineHealthChecks.
const FieldOwner = "sickbay-upgradepause"

// reader reads the MachineHealthChecks of one kind, as metadata.
type reader struct {
	client.Reader

	kind schema.GroupVersionKind
}

// check returns a MachineHealthCheck; nil if it is gone or being deleted.
func (r reader) check(ctx context.Context, key client.ObjectKey) (*metav1.PartialObjectMetadata, error) {
	check, err := scaffold.Find(ctx, r, key, scaffold.MetadataOf(r.kind))
	if err != nil || check == nil || !check.DeletionTimestamp.IsZero() {
		return nil, err
	}
	return check, nil
}

// all returns all MachineHealthChecks.
func (r reader) all(ctx context.Context) []ctrl.Request {
	return r.checks(ctx, func(client.Object) bool { return true })
}

// ofNode maps a Node, or an OpenShift Machine, to those MachineHealthChecks of its namespace that wait for Nodes.
func (r reader) ofNode(ctx context.Context, obj client.Object) []ctrl.Request {
	namespace := obj.GetNamespace()
	if node, ok := obj.(*corev1.Node); ok {
		namespace, _, _ = strings.Cut(node.Annotations[pause.MachineOfNode], "/")
	}
	if namespace == "" {
		return nil // it belongs to no Machine
	}
	return r.checks(ctx, func(check client.Object) bool {
		return check.GetAnnotations()[pause.SettlingAnnotation] != ""
	}, client.InNamespace(namespace))
}

// ofCluster maps a Cluster, or an object of one, to the MachineHealthChecks of that Cluster.
func (r reader) ofCluster(ctx context.Context, obj client.Object) []ctrl.Request {
	cluster, ok := clusterOf(obj)
	switch o := obj.(type) {
	case *clusterv1.Cluster:
		cluster, ok = client.ObjectKeyFromObject(o), true
	case *clusterv1.Machine:
		cluster, ok = client.ObjectKey{Namespace: o.Namespace, Name: o.Spec.ClusterName}, true
	}
	if !ok {
		return nil
	}
	return r.checks(ctx, func(check client.Object) bool {
		key, ok := clusterOf(check)
		return ok && key == cluster
	}, client.InNamespace(cluster.Namespace))
}

func (r reader) checks(ctx context.Context, concerns func(client.Object) bool, in ...client.ListOption) []ctrl.Request {
	return scaffold.RequestsIn(ctx, r, scaffold.MetadataListOf(r.kind), concerns, in...)
}

// writer writes annotations of MachineHealthChecks.
type writer struct {
	client.Writer

	memory controllerstate.Memory[struct{}]
}

// annotate writes the changes in one patch, and only to the MachineHealthCheck that was observed: if it has changed since, the API server
// refuses.
func (w *writer) annotate(ctx context.Context, check *metav1.PartialObjectMetadata, changes map[string]*string) error {
	if len(changes) == 0 {
		return nil
	}
	after := &metav1.PartialObjectMetadata{TypeMeta: check.TypeMeta, ObjectMeta: metav1.ObjectMeta{Namespace: check.Namespace, Name: check.Name}}
	if err := w.Patch(ctx, after, ownwrites.Annotations(check, changes), client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("annotating MachineHealthCheck %s: %w", client.ObjectKeyFromObject(check), err)
	}
	w.memory.Expect(after)
	return nil
}
