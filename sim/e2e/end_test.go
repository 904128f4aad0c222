package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// end is the outcome of a story: everything that was done to machines and hosts, whatever their
// names.
type end struct {
	// Machines has a sorted line for each machine that ever existed.
	Machines []string
	// Requests is how many RebootRemediations ever existed.
	Requests int
	// Power has the changes of each host's power, sorted.
	Power []string
}

func endOf(g Gomega, namespace string) end {
	e := end{Requests: len(requests(namespace))}
	for _, uid := range seen(namespace) {
		e.Machines = append(e.Machines, fateOf(uid))
	}
	hosts := &metal3v1.BareMetalHostList{}
	g.Expect(harness.World.Client().List(context.Background(), hosts, client.InNamespace(namespace))).To(Succeed())
	for i := range hosts.Items {
		var changes []string
		for _, change := range harness.World.Host(client.ObjectKeyFromObject(&hosts.Items[i])).History() {
			changes = append(changes, fmt.Sprintf("%t by %s", change.Running, change.Why))
		}
		e.Power = append(e.Power, strings.Join(changes, ", "))
	}
	slices.Sort(e.Machines)
	slices.Sort(e.Power)
	return e
}

// fateOf describes what was done to a machine.
func fateOf(uid types.UID) string {
	deleted := false
	harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		deleted = deleted || (ok && m.UID == uid && (e.Gone || journal.Deleting(m)))
		return deleted
	})
	records := harness.Journal.Records(uid)
	var ends []string
	for _, record := range records {
		ends = append(ends, journal.Success(record).Reason)
	}
	return fmt.Sprintf("deleted: %t, marked: %d times, tried: %v, ends: %v", deleted, harness.Journal.Marks(uid), tried(records), ends)
}

// requests returns all RebootRemediations that ever existed in a namespace.
func requests(namespace string) []types.UID {
	var all []types.UID
	harness.Journal.Find(func(e journal.Entry) bool {
		r, ok := e.Object.(*v1alpha1.RebootRemediation)
		if ok && r.Namespace == namespace && !slices.Contains(all, r.UID) {
			all = append(all, r.UID)
		}
		return false
	})
	return all
}
