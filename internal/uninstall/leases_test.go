package uninstall_test

import (
	"context"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/uninstall"
)

// held creates a lease that a manager holds, or held until a while ago.
func held(ns, name string, s scope.Scope, ago time.Duration) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, Labels: map[string]string{scope.Label: ""}, Annotations: s.Annotations()},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new("of-" + name), LeaseDurationSeconds: new(int32(15)), RenewTime: new(metav1.NewMicroTime(time.Now().Add(-ago))),
		},
	}
}

// TestLeasesOfScopes: a manager with a limited scope leads, too, whatever its lease is called. For one namespace, managers of others do
// not matter. Leases that nobody holds are removed, and no lease of other programs.
func TestLeasesOfScopes(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	ns, other := e.Namespace(t), e.Namespace(t)
	repairs := scope.Scope{Controllers: []string{"reboot"}, Namespace: ns}
	elsewhere := scope.Scope{Controllers: []string{"reboot"}, Namespace: other}
	leading := held(ns, "sickbay-manager.only-reboot.in-"+ns, repairs, 0)
	own := held(ns, "of-their-own", scope.Scope{Controllers: []string{"machinehealth"}}, 0)
	gone := held(ns, "sickbay-manager.for-a", elsewhere, time.Hour)
	apart := held(ns, "sickbay-manager.in-"+other, elsewhere, 0)
	foreign := held(ns, "some-manager", scope.Scope{}, time.Hour)
	foreign.Labels, foreign.Annotations = nil, nil
	build.Create(t.Context(), t, e.Client, leading, own, gone, apart, foreign)

	leaders := func(namespace string) string {
		survey, err := taker(e.Client, namespace).Survey(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		return strings.Join(survey.Leaders, "; ")
	}
	g.Expect(leaders("")).To(And(ContainSubstring(leading.Name), ContainSubstring(own.Name), ContainSubstring(apart.Name), Not(ContainSubstring(gone.Name))))
	g.Expect(leaders(ns)).To(And(ContainSubstring(leading.Name), ContainSubstring(own.Name), Not(ContainSubstring(apart.Name))))

	for _, lease := range []*coordinationv1.Lease{leading, own, apart} {
		lease.Spec.HolderIdentity = new("")
		g.Expect(e.Client.Update(t.Context(), lease)).To(Succeed())
	}
	survey, err := taker(e.Client, "").Survey(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	survey.Items = onlyIn(survey.Items, ns)
	g.Expect(taker(e.Client, "").TakeBack(t.Context(), survey, func(uninstall.Item, error) {})).To(Succeed())
	for _, lease := range []*coordinationv1.Lease{leading, own, apart, gone} {
		err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(lease), lease)
		g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), lease.Name)
	}
	g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(foreign), foreign)).To(Succeed())
}

// TestLeaderOfAnotherClock: the clock of a person may be fast. A manager that renewed its lease a little while ago may still lead.
func TestLeaderOfAnotherClock(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	ns := e.Namespace(t)
	leading := held(ns, scope.DefaultLease, scope.Scope{}, 40*time.Second)
	build.Create(t.Context(), t, e.Client, leading)
	// Other tests here remove everything, and would wait for this leader.
	t.Cleanup(func() { g.Expect(e.Client.Delete(context.WithoutCancel(t.Context()), leading)).To(Succeed()) })
	survey, err := taker(e.Client, ns).Survey(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(survey.Leaders).NotTo(BeEmpty())
}

func onlyIn(items []uninstall.Item, namespace string) (in []uninstall.Item) {
	for _, item := range items {
		if item.Key.Namespace == namespace {
			in = append(in, item)
		}
	}
	return in
}
