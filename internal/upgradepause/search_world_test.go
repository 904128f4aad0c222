package upgradepause

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

var errForbidden = errors.New("forbidden, for now")

// shelf has every version of all objects of a kind. Its readers may lag behind.
type shelf struct {
	versions  []map[string]client.Object
	read      int
	forbidden bool
}

func (s *shelf) latest() map[string]client.Object { return s.versions[len(s.versions)-1] }

// seen is what readers see.
func (s *shelf) seen() map[string]client.Object { return s.versions[s.read] }

// put changes the objects; it never changes one in place.
func (s *shelf) put(change func(map[string]client.Object)) {
	next := map[string]client.Object{}
	if len(s.versions) > 0 {
		next = maps.Clone(s.latest())
	}
	change(next)
	s.versions = append(s.versions, next)
}

func (s *shelf) catchUp() { s.read = len(s.versions) - 1 }

func (s *shelf) readable() ([]client.Object, error) {
	if s.forbidden {
		return nil, errForbidden
	}
	var all []client.Object
	for _, name := range slices.Sorted(maps.Keys(s.seen())) {
		all = append(all, s.seen()[name])
	}
	return all, nil
}

// The names of the shelves.
const (
	checksOn, versionOn, poolsOn, clustersOn = "MachineHealthCheck", "ClusterVersion", "MachineConfigPool", "Cluster"
	deploymentsOn, machinesOn                = "MachineDeployment", "Machine"
	openshiftMachinesOn, nodesOn             = "Machine of OpenShift", "Node"
)

// api is an API server as a controller sees it: each kind has a cache that may lag behind, and writes may fail.
type api struct {
	client.Client
	shelves map[string]*shelf
	version int
	// fault is what happens to the next write, and wrote gets each write that succeeds.
	fault string
	wrote func(name string, before, after stored)
}

// errCrash is what a crashing controller panics with.
var errCrash = errors.New("crash")

func (a *api) shelf(kind string) *shelf { return a.shelves[kind] }

func shelfOf(obj any) string {
	switch o := obj.(type) {
	case *configv1.ClusterVersion:
		return versionOn
	case *clusterv1.Cluster:
		return clustersOn
	case *clusterv1.MachineDeploymentList:
		return deploymentsOn
	case *clusterv1.MachineList:
		return machinesOn
	case *mcfgv1.MachineConfigPoolList:
		return poolsOn
	case *metav1.PartialObjectMetadataList:
		return openshiftMachinesOn
	case *corev1.NodeList:
		return nodesOn
	case *metav1.PartialObjectMetadata, *unstructured.Unstructured:
		return checksOn
	default:
		panic(fmt.Sprintf("nobody reads %T", o))
	}
}

// Get implements client.Reader.
func (a *api) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if full, ok := into.(*unstructured.Unstructured); ok { // a live read of the selector
		full.Object = map[string]any{"spec": map[string]any{"selector": map[string]any{}}}
		return nil
	}
	s := a.shelf(shelfOf(into))
	if s.forbidden {
		return errForbidden
	}
	found, ok := s.seen()[key.Name]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: shelfOf(into)}, key.Name)
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(found.DeepCopyObject()).Elem())
	return nil
}

// List implements client.Reader. There is only one Cluster, and each Machine has one Node of its name.
func (a *api) List(_ context.Context, into client.ObjectList, opts ...client.ListOption) error {
	all, err := a.shelf(shelfOf(into)).readable()
	if err != nil {
		return err
	}
	for _, obj := range all {
		switch list := into.(type) {
		case *clusterv1.MachineDeploymentList:
			list.Items = append(list.Items, *obj.(*clusterv1.MachineDeployment))
		case *clusterv1.MachineList:
			list.Items = append(list.Items, *trimmed(obj).(*clusterv1.Machine))
		case *mcfgv1.MachineConfigPoolList:
			list.Items = append(list.Items, *obj.(*mcfgv1.MachineConfigPool))
		case *metav1.PartialObjectMetadataList:
			list.Items = append(list.Items, *obj.(*metav1.PartialObjectMetadata))
		case *corev1.NodeList:
			if slices.Contains(machinesOfNode(obj), wantedMachine(opts)) {
				list.Items = append(list.Items, *trimmed(obj).(*corev1.Node))
			}
		}
	}
	return nil
}

// trimmed returns an object as a cache keeps it.
func trimmed(obj client.Object) client.Object {
	return pause.Trim(obj).(client.Object)
}

func wantedMachine(opts []client.ListOption) string {
	for _, opt := range opts {
		if fields, ok := opt.(client.MatchingFields); ok {
			return fields[nodesByMachine]
		}
	}
	return ""
}

// Patch implements client.Writer: every write changes annotations of one version of a MachineHealthCheck.
func (a *api) Patch(_ context.Context, obj client.Object, patch client.Patch, _ ...client.PatchOption) error {
	data, err := patch.Data(obj)
	if err != nil {
		return err
	}
	var change struct {
		Metadata struct {
			UID             types.UID
			ResourceVersion string
			Annotations     map[string]*string
		}
	}
	if err := json.Unmarshal(data, &change); err != nil {
		return err
	}
	fault := a.fault
	a.fault = ""
	switch fault {
	case "crash before":
		panic(errCrash)
	case "refused":
		return errors.New("the API server is busy")
	}
	found, ok := a.shelf(checksOn).latest()[obj.GetName()]
	resource := schema.GroupResource{Resource: "machinehealthchecks"}
	if !ok {
		return apierrors.NewNotFound(resource, obj.GetName())
	}
	if found.GetUID() != change.Metadata.UID || found.GetResourceVersion() != change.Metadata.ResourceVersion {
		return apierrors.NewConflict(resource, obj.GetName(), errors.New("it has changed"))
	}
	before := stored(found.GetAnnotations())
	after := before.After(change.Metadata.Annotations)
	a.store(obj.GetName(), after)
	a.wrote(obj.GetName(), before, after)
	switch fault {
	case "crash after":
		panic(errCrash)
	case "lost answer":
		return errors.New("the answer is lost")
	}
	*obj.(*metav1.PartialObjectMetadata) = *a.shelf(checksOn).latest()[obj.GetName()].DeepCopyObject().(*metav1.PartialObjectMetadata)
	return nil
}

// store writes the annotations of a MachineHealthCheck.
func (a *api) store(name string, annotations stored) {
	a.shelf(checksOn).put(func(all map[string]client.Object) {
		a.version++
		check := all[name].DeepCopyObject().(*metav1.PartialObjectMetadata)
		check.Annotations, check.ResourceVersion = annotations, strconv.Itoa(a.version)
		all[name] = check
	})
}

// The objects of the world. All but the MachineHealthChecks are rebuilt from their state.

func searchVersion(id time.Time, state configv1.UpdateState, progressing bool) *configv1.ClusterVersion {
	status := configv1.ConditionFalse
	if progressing {
		status = configv1.ConditionTrue
	}
	cv := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: clusterVersionName}}
	cv.Status.History = []configv1.UpdateHistory{update("4.17", state, id)}
	cv.Status.Conditions = []configv1.ClusterOperatorStatusCondition{{Type: configv1.OperatorProgressing, Status: status, LastTransitionTime: metav1.NewTime(id)}}
	return cv
}

func searchPool(updated int32, updating corev1.ConditionStatus) *mcfgv1.MachineConfigPool {
	pool := workers(2, updated, updating)
	if updated == 2 {
		pool.Status.Configuration = pool.Spec.Configuration
	}
	return pool
}

func searchMachine(name, version string, ready bool) *clusterv1.Machine {
	m := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, Labels: map[string]string{clusterv1.MachineDeploymentNameLabel: "md"}}}
	m.Spec.ClusterName, m.Spec.Version = "blue", version
	m.Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineNodeReadyCondition, Status: conditionStatus(ready)}}
	return m
}

func searchNode(ready bool) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: "node", Labels: map[string]string{workerRole: ""}, Annotations: map[string]string{pause.MachineOfNode: "ns/machine"},
	}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionStatus(conditionStatus(ready))}}
	return node
}

func conditionStatus(yes bool) metav1.ConditionStatus {
	if yes {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}
