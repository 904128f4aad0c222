package history

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/useractions"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// asked are the machines for which somebody may ask for a power cycle.
func (w *World) asked() []*clusterv1.Machine {
	var living []*clusterv1.Machine
	for _, m := range Every[*clusterv1.Machine](w, kinds.Machine) {
		if m.DeletionTimestamp.IsZero() {
			living = append(living, m)
		}
	}
	return living
}

// askByCommand returns the ways in which a person asks for power cycles by command.
func (w *World) askByCommand() []option {
	var options []option
	for _, m := range w.asked() {
		name := m.Name
		options = append(options, option{"a person asks for a power cycle of " + name, func() { w.commandReboot(name) }})
	}
	return options
}

// knowing is a client that knows the kinds of the infrastructure machines.
type knowing struct{ client.Client }

// RESTMapper implements client.Client.
func (knowing) RESTMapper() meta.RESTMapper { return mapper }

// commandReboot does what the command reboot does.
func (w *World) commandReboot(machine string) {
	defer w.writesAs(nil)()
	person := useractions.Person{Client: knowing{w.admin}, Name: "somebody", Clock: w.clock}
	change, err := person.Reboot(context.Background(), kinds.Namespace, machine, useractions.Asked{})
	if _, refused := errors.AsType[useractions.Refusal](err); refused {
		return
	}
	w.must(err)
	if change.Already == "" {
		_, err = change.Write(context.Background())
		w.must(err)
	}
}

// steps are the annotations by which people ask for single steps.
var steps = []v1alpha1.Step{v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn}

// askByAnnotation returns the ways in which somebody asks for power cycles, or for single steps, by annotations of the Machine, and takes that back.
func (w *World) askByAnnotation() []option {
	var options []option
	for _, m := range w.asked() {
		options = append(options, w.askAnew(m))
		for _, step := range steps {
			options = append(options, w.toggle(kinds.Machine, m, rebootannotation.Request+"/"+string(step), ""))
		}
	}
	return options
}

// askAnew sets the annotation with a value that is another one each time, or removes it.
func (w *World) askAnew(m *clusterv1.Machine) option {
	if value, ok := m.Annotations[rebootannotation.Request]; ok && !rebootannotation.IsSign(value) {
		return w.toggle(kinds.Machine, m, rebootannotation.Request, "")
	}
	name := m.Name
	return option{"somebody sets " + rebootannotation.Request + " on " + name, func() {
		w.annotate(kinds.Machine, name, map[string]string{rebootannotation.Request: fmt.Sprint("asked-", w.Server.Version())})
	}}
}

// askByRequest returns the ways in which a person, and the health check of another controller, make RebootRemediations.
func (w *World) askByRequest() []option {
	var options []option
	for _, m := range w.asked() {
		if Latest[*v1alpha1.RebootRemediation](w, kinds.Reboot, byHand+m.Name) == nil {
			options = append(options, option{"a person makes a RebootRemediation for " + m.Name, func() { w.put(requestByHand(m)) }})
		}
		if Latest[*v1alpha1.RebootRemediation](w, kinds.Reboot, m.Name) == nil && !w.healthy(m.Name) {
			options = append(options, option{"another health check makes a RebootRemediation for " + m.Name, func() { w.put(requestByCheck(m)) }})
		}
	}
	return options
}

func (w *World) healthy(machine string) bool {
	node := NodeOf(w, machine)
	return node != nil && readyIs(node) == "True"
}

// byHand begins the names of RebootRemediations that people make.
const byHand = "hand-"

func requestByHand(m *clusterv1.Machine) *v1alpha1.RebootRemediation {
	r := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: kinds.Namespace, Name: byHand + m.Name}}
	r.Spec.Machine = &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: m.Name}
	r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "somebody"}
	return r
}

// requestByCheck returns what Cluster API's own health check makes of a template.
func requestByCheck(m *clusterv1.Machine) *v1alpha1.RebootRemediation {
	r := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: kinds.Namespace, Name: m.Name}}
	r.OwnerReferences = []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: kinds.Machine.Kind, Name: m.Name, UID: m.UID}}
	return r
}

// checksWithdraw makes the health check of another controller delete its requests for machines that are healthy.
func (w *World) checksWithdraw() []option {
	var options []option
	for _, r := range Every[*v1alpha1.RebootRemediation](w, kinds.Reboot) {
		if !reboot.IsCycle(r) && r.DeletionTimestamp.IsZero() && Latest[*clusterv1.Machine](w, kinds.Machine, r.Name) != nil && w.healthy(r.Name) {
			options = append(options, option{"another health check deletes its RebootRemediation for " + r.Name, func() { w.remove(r) }})
		}
	}
	return options
}

// askNoMore takes all annotations off that ask for single steps. Where people have had a host switched off, it asks for power.
func (w *World) askNoMore() {
	for _, m := range w.asked() {
		values := map[string]string{}
		for _, step := range steps {
			values[rebootannotation.Request+"/"+string(step)] = gone
		}
		for _, r := range Every[*v1alpha1.MachineRemediation](w, kinds.Record) {
			if r.Spec.MachineRef.UID == m.UID && ladder.SingleSteps(r) && !ladder.Ended(r) {
				values[rebootannotation.Request+"/"+string(v1alpha1.StepPowerOn)] = ""
			}
		}
		w.annotate(kinds.Machine, m.Name, values)
	}
}
