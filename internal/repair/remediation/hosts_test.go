package remediation

import (
	"context"
	"strings"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// hostOf stores the host that runs a Machine: it is on, and provisioned.
func (f *harness) hostOf(machine *clusterv1.Machine) *metal3v1.BareMetalHost {
	f.t.Helper()
	ref := machine.Spec.InfrastructureRef
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "host-of-" + machine.Name}}
	host.Spec = metal3v1.BareMetalHostSpec{Online: true, ConsumerRef: &corev1.ObjectReference{
		APIVersion: ref.APIGroup + "/v1beta1", Kind: ref.Kind, Namespace: f.ns, Name: ref.Name,
	}}
	build.Create(f.t.Context(), f.t, f.env.Client, host)
	changeStatus(f, host, func(h *metal3v1.BareMetalHost) {
		h.Status.Provisioning.State, h.Status.OperationalStatus, h.Status.PoweredOn = metal3v1.StateProvisioned, metal3v1.OperationalStatusOK, true
	})
	return host
}

// hostCache answers the lists by consumer, which only a cache has an index for.
type hostCache struct{ client.Client }

// List implements client.Reader.
func (c hostCache) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	hosts, ok := list.(*metal3v1.BareMetalHostList)
	if !ok {
		return c.Client.List(ctx, list, opts...)
	}
	var options client.ListOptions
	options.ApplyOptions(opts)
	if err := c.Client.List(ctx, hosts, client.InNamespace(options.Namespace)); err != nil {
		return err
	}
	var used []metal3v1.BareMetalHost
	for i := range hosts.Items {
		if machinehealth.ConsumerOf(&hosts.Items[i]) == options.FieldSelector.Requirements()[0].Value {
			used = append(used, hosts.Items[i])
		}
	}
	hosts.Items = used
	return nil
}

// IndexField implements client.FieldIndexer.
func (hostCache) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return nil
}

// readHosts has the Reconciler read hosts.
func (f *harness) readHosts() {
	f.t.Helper()
	hosts := &machinehealth.Hosts{Client: hostCache{f.cache}, Live: f.env.Client}
	if err := hosts.Appeared(f.t.Context(), hostCache{}); err != nil {
		f.t.Fatal(err)
	}
	f.Observer.Hosts = hosts
}

// keeps are the ways in which a person or another system keeps a host.
var keeps = map[string]func(h *metal3v1.BareMetalHost){
	"switched off":  func(h *metal3v1.BareMetalHost) { h.Spec.Online = false },
	"paused":        func(h *metal3v1.BareMetalHost) { build.Annotation(metal3v1.PausedAnnotation, "")(h) },
	"detached":      func(h *metal3v1.BareMetalHost) { build.Annotation(metal3v1.DetachedAnnotation, "")(h) },
	"another's key": func(h *metal3v1.BareMetalHost) { build.Annotation(metal3v1.RebootAnnotationPrefix+"/ann", "")(h) },
}

func lets(h *metal3v1.BareMetalHost) { h.Spec.Online, h.Annotations = true, nil }

// TestHostOfAPerson: a host that a person keeps is left to that person, and so is its machine: its cycle is withdrawn, and no owner is asked, for
// however long. When it is free and on, the Node has the time to come back before the record wants a slot.
func TestHostOfAPerson(t *testing.T) {
	t.Parallel()
	for how, keep := range keeps {
		for _, begun := range []bool{false, true} {
			t.Run(how+map[bool]string{true: ", in a cycle"}[begun], func(t *testing.T) {
				t.Parallel()
				f := newHarness(t)
				f.readHosts()
				a := f.sick("a")
				host := f.hostOf(a)
				record := f.asks(a, actCase{plan: by(step(v1alpha1.ActionReboot), step(v1alpha1.ActionReplace)), step: "reboot", begun: begun})
				f.wantStanding(ofCycle(record))
				change(f, host, keep)
				for range 3 {
					f.reconcile(record)
					f.wantStanding()
					want := "Pending HeldByOthers reboot:NotBegun"
					if begun {
						want = "Pending HeldByOthers reboot:Aborted"
					}
					f.wantRecord(record, want)
					f.wantSlot(record, false)
					f.pass(24 * time.Hour)
				}
				if got, _ := stored(f, record); !strings.Contains(ladder.Progress(&got.Status).Message, "host-of-a") {
					t.Errorf("it says %q", ladder.Progress(&got.Status).Message)
				}
				f.writes.since()
				f.reconcile(record)
				if made := f.writes.since(); len(made) > 0 {
					t.Errorf("while it waits, it writes %q", made)
				}
				change(f, host, lets)
				if after, boot := f.reconcile(record), (v1alpha1.RebootSettings{}).NodeTimeout(); after != boot {
					t.Errorf("looks again after %s, want %s", after, boot)
				}
				f.pass((v1alpha1.RebootSettings{}).NodeTimeout())
				f.reconcile(record)
				if got, _ := stored(f, record); ladder.Progress(&got.Status).Reason != v1alpha1.ReasonNoSlot {
					t.Errorf("it waits for %s", ladder.Progress(&got.Status).Reason)
				}
			})
		}
	}
}
