package kubelets_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// The kinds of the provider; testdata/kinds.yaml defines them.
var (
	machineKind  = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "ProcessMachine"}
	templateKind = machineKind.GroupVersion().WithKind("ProcessMachineTemplate")
	clusterKind  = machineKind.GroupVersion().WithKind("ProcessCluster")
)

const (
	finalizer = "processmachine.infrastructure.cluster.x-k8s.io"
	// period is the time between two looks at all machines. Like a service manager, each look starts again what has ended by itself.
	period = 200 * time.Millisecond
)

// kit is what the spec of a ProcessMachine says about it.
type kit struct {
	// Hollow makes it one of kubemark's hollow nodes.
	Hollow bool `json:"hollow,omitempty"`
	// SmallDisk gives it a disk that can be filled.
	SmallDisk bool `json:"smallDisk,omitempty"`
	// ClockOffset is how far its clock is ahead, as a Go duration.
	ClockOffset string `json:"clockOffset,omitempty"`
}

// flaw is what a machine is made without.
type flaw string

const (
	none flaw = ""
	// noAPIServer keeps it from reaching the API server.
	noAPIServer flaw = "API server"
	// noNetwork keeps its Node from becoming Ready, until it gets one.
	noNetwork flaw = "network"
)

// provider starts the processes of each ProcessMachine, and ends them with it.
type provider struct {
	client client.Client
	// programs is the directory of kubelet and kubemark, and dir that of the machines.
	programs, dir string
	plane         *plane

	mu sync.Mutex
	// machines has the machines that run, by name; all are in one namespace.
	machines map[string]*machine
	// flaws has what new machines of a pool are made without.
	flaws map[string]flaw
}

// run looks at all machines until ctx ends, and then ends them. It reports what goes wrong.
func (p *provider) run(ctx context.Context, report func(error)) {
	for ctx.Err() == nil {
		if err := p.look(ctx); err != nil && ctx.Err() == nil {
			report(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(period):
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.machines {
		if err := m.end(); err != nil {
			report(err)
		}
	}
}

func (p *provider) look(ctx context.Context) error {
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(machineKind)
	if err := p.client.List(ctx, all); err != nil {
		return fmt.Errorf("listing machines: %w", err)
	}
	var errs []error
	for i := range all.Items {
		if err := p.reconcile(ctx, &all.Items[i]); client.IgnoreNotFound(err) != nil {
			errs = append(errs, fmt.Errorf("machine %s: %w", all.Items[i].GetName(), err))
		}
	}
	return errors.Join(errs...)
}

func (p *provider) reconcile(ctx context.Context, object *unstructured.Unstructured) error {
	if object.GetDeletionTimestamp() != nil {
		if err := p.end(object.GetName()); err != nil {
			return err
		}
		before := object.DeepCopy()
		if !controllerutil.RemoveFinalizer(object, finalizer) {
			return nil
		}
		return p.client.Patch(ctx, object, client.MergeFrom(before))
	}
	if m := p.machine(object.GetName()); m != nil {
		return m.revive()
	}
	m, err := p.newMachine(object)
	if err != nil {
		return err
	}
	before := object.DeepCopy()
	controllerutil.AddFinalizer(object, finalizer)
	_ = unstructured.SetNestedField(object.Object, m.providerID(), "spec", "providerID")
	if err := p.client.Patch(ctx, object, client.MergeFrom(before)); err != nil {
		return err
	}
	before = object.DeepCopy()
	_ = unstructured.SetNestedField(object.Object, true, "status", "initialization", "provisioned")
	if err := p.client.Status().Patch(ctx, object, client.MergeFrom(before)); err != nil {
		return err
	}
	p.mu.Lock()
	p.machines[m.name] = m
	p.mu.Unlock()
	return m.revive()
}

// newMachine prepares a machine as its object says.
func (p *provider) newMachine(object *unstructured.Unstructured) (*machine, error) {
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	var k kit
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(spec, &k); err != nil {
		return nil, fmt.Errorf("reading the spec: %w", err)
	}
	p.mu.Lock()
	without := p.flaws[object.GetLabels()[clusterv1.MachineDeploymentNameLabel]]
	p.mu.Unlock()
	return newMachine(object.GetName(), k, p, without)
}

// makes sets what new machines of a pool are made without. Those that run go on as they are.
func (p *provider) makes(pool string, without flaw) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flaws[pool] = without
}

// machine returns a machine that runs, or nil.
func (p *provider) machine(name string) *machine {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.machines[name]
}

func (p *provider) end(name string) error {
	m := p.machine(name)
	if m == nil {
		return nil
	}
	if err := m.end(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.machines, name)
	return nil
}
