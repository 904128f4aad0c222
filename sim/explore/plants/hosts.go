package plants

import (
	"context"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// hastyHosts makes the controller of power cycles believe that records have stored whatever they made, so that it waits for none.
func hastyHosts(p *history.Process, with history.Parts) history.Parts {
	return liveList(with, func(list client.ObjectList) {
		records, ok := list.(*v1alpha1.MachineRemediationList)
		if !ok || p.Item.Controller != reboot.ControllerName {
			return
		}
		for i := range records.Items {
			for _, made := range history.Every[*v1alpha1.RebootRemediation](p.World, kinds.Reboot) {
				if by := made.Spec.RequestedBy; by != nil && by.UID == records.Items[i].UID {
					s := &records.Items[i].Status
					s.Attempts = append(s.Attempts, v1alpha1.RemediationAttempt{ObjectRef: &v1alpha1.RemediationObjectReference{UID: made.UID}})
				}
			}
		}
	})
}

// plantsOfHosts break the rules about hosts and their Nodes.
var plantsOfHosts = []*history.Plant{
	{
		Name: "believes hosts", World: rebootWorld(worlds.Faults), Rule: rules.ProvenOff,
		About:  "a host counts as off as soon as somebody wants it off",
		Change: shows(believesHosts),
	},
	{
		Name: "begins unseen", World: rebootWorld(worlds.Faults), Rule: rules.KeptOff,
		About:  "that a power cycle begins is not stored before its host is kept off",
		Change: beginsUnseen,
	},
	{
		Name: "keeps its key", World: rebootWorld(worlds.Faults), Rule: rules.LetGo,
		About:  "nobody lets go of a host",
		Change: keepsKeys,
	},
	{
		Name: "no backup", World: rebootWorld(worlds.Faults), Rule: rules.Restored,
		About:  "what a Node has is not stored before the Node is deleted",
		Change: noBackup,
	},
	{
		Name: "alone", World: planeWorld(worlds.Faults), Rule: rules.Plane,
		About:  "a machine does not see the others of its control plane, nor their power cycles",
		Change: alone,
	},
	{
		Name: "gone is gone", World: rackWorld(), Rule: rules.Rack,
		About:  "a RebootRemediation counts as gone as soon as somebody deletes it, although it has not let go of its host",
		Change: goneIsGone,
	},
	{
		Name: "two keys", Seed: 19, World: deletedCycles(), Rule: rules.OneCycle,
		About:  "a RebootRemediation counts as gone as soon as somebody deletes it, and the next one of its machine does not see it",
		Change: func(p *history.Process, with history.Parts) history.Parts { return goneIsGone(p, alone(p, with)) },
	},
}

// planeWorld returns a world with a control plane, and slots for two.
func planeWorld(actors ...worlds.Actor) *worlds.Spec {
	s := rebootWorld(actors...)
	s.Machines, s.Slots, s.ControlPlane = 3, 2, true
	return unfinished(s)
}

// rackWorld returns a world with a person who switches hosts, and a plan.
func rackWorld() *worlds.Spec {
	s := plantWorld(worlds.OwnerReplaces, 1, worlds.Hosts, worlds.Nodes, worlds.Faults)
	s.Reboot = true
	return s
}

// deletedCycles returns a world with one machine, and a person who deletes power cycles.
func deletedCycles() *worlds.Spec {
	s := rebootWorld(worlds.Person, worlds.Faults)
	s.Machines, s.Sick = 1, 1
	return unfinished(s)
}

func believesHosts(host *metal3v1.BareMetalHost) {
	for key := range host.Annotations {
		if strings.HasPrefix(key, cycle.KeyPrefix) {
			host.Status.PoweredOn = false
			delete(host.Annotations, cycle.ProbeKey)
		}
	}
}

// beginsUnseen keeps in the memory of the process that a power cycle begins.
func beginsUnseen(_ *history.Process, with history.Parts) history.Parts {
	return cyclesStored(with, func(r *v1alpha1.RebootRemediation) {
		if r.Status.KeySince == nil {
			r.Status.BeganAt = nil
		}
	})
}

func noBackup(_ *history.Process, with history.Parts) history.Parts {
	return cyclesStored(with, func(r *v1alpha1.RebootRemediation) {
		if r.Status.Node != nil {
			r.Status.Node.Backup = nil
		}
	})
}

// cyclesStored changes the status of power cycles before it is stored. The process believes that it is stored as it was.
func cyclesStored(with history.Parts, change func(*v1alpha1.RebootRemediation)) history.Parts {
	return withFuncs(with, interceptor.Funcs{SubResourceUpdate: func(ctx context.Context, c client.Client, _ string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
		r, ok := obj.(*v1alpha1.RebootRemediation)
		if !ok {
			return c.Status().Update(ctx, obj, opts...)
		}
		believed := r.DeepCopy()
		change(r)
		err := c.Status().Update(ctx, r, opts...)
		r.Status = believed.Status
		return err
	}})
}

// keepsKeys drops the patches that let go of hosts.
func keepsKeys(_ *history.Process, with history.Parts) history.Parts {
	return withFuncs(with, interceptor.Funcs{Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
		if data, err := patch.Data(obj); err == nil && strings.Contains(string(data), cycle.KeyPrefix) && !strings.Contains(string(data), "askedAt") {
			return nil
		}
		return c.Patch(ctx, obj, patch, opts...)
	}})
}

// alone hides other machines and power cycles from the controller of power cycles.
func alone(p *history.Process, with history.Parts) history.Parts {
	hide := func(list client.ObjectList) {
		if p.Item == nil || p.Item.Controller != reboot.ControllerName {
			return
		}
		switch list := list.(type) {
		case *clusterv1.MachineList:
			list.Items = nil
		case *v1alpha1.RebootRemediationList:
			list.Items = nil
		}
	}
	return cachedList(liveList(with, hide), hide)
}

// goneIsGone hides RebootRemediations in deletion from the records that made them.
func goneIsGone(p *history.Process, with history.Parts) history.Parts {
	return liveGet(with, func(_ context.Context, key client.ObjectKey, obj client.Object, err error) error {
		if u, ok := obj.(*unstructured.Unstructured); ok && err == nil && u.GetKind() == kinds.Reboot.Kind && u.GetDeletionTimestamp() != nil && p.Item.Controller == remediation.ControllerName {
			return apierrors.NewNotFound(v1alpha1.GroupVersion.WithResource("rebootremediations").GroupResource(), key.Name)
		}
		return err
	})
}
