package reboot

import (
	"fmt"
	"hash/fnv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	// ByAnnotation on a RebootRemediation tells that it was made for annotations of its Machine, and not
	// from a template.
	ByAnnotation = v1alpha1.ByAnnotation
	// Finalizer on a RebootRemediation keeps it until nothing of ours is left on its host.
	Finalizer = "sickbay.dev/reboot"
	// NodeFinalizer on a RebootRemediation keeps it until its Node is in service again, has what it had, or is given up; and for a
	// moment, if its host is marked and works again.
	NodeFinalizer = "sickbay.dev/reboot-node"
	// FieldOwner is the name under which hosts, Nodes and Machines are written.
	FieldOwner = "sickbay-reboot"
)

// longestName is how long the name of an object may be.
const longestName = 253

// askedPurpose is that of a RebootRemediation that is made for annotations of a Machine.
const askedPurpose = "asked"

// RequestNames are what a RebootRemediation of a Machine that has a purpose may be called. The second one is for one that follows while
// the one before, which was deleted, stays for its Node.
func RequestNames(machine metav1.Object, purpose string) []string {
	return []string{RequestName(machine, purpose), RequestName(machine, purpose+"-2")}
}

// RequestName names a RebootRemediation of a Machine that has a purpose of its own. It is not the name of the Machine: Cluster API's
// own controller deletes a request of that name as soon as the Machine is healthy, whoever has made it.
func RequestName(machine metav1.Object, purpose string) string {
	hash := fnv.New32a()
	hash.Write([]byte(machine.GetUID()))
	name, suffix := machine.GetName(), fmt.Sprintf("-%08x-%s", hash.Sum32(), purpose)
	if most := longestName - len(suffix); len(name) > most {
		name = strings.TrimRight(name[:most], "-.")
	}
	return name + suffix
}

func has(obj metav1.Object, annotation string) bool {
	_, ok := obj.GetAnnotations()[annotation]
	return ok
}
