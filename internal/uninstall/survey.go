package uninstall

import (
	"context"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/uninstall/trace"
)

// Uninstaller removes what Sickbay has written.
type Uninstaller struct {
	// Client reads and writes without a cache, with the person's permissions.
	Client client.Client
	// Workload connects to the workload cluster of a machine.
	Workload func(ctx context.Context, cluster client.ObjectKey) (client.Client, error)
	// Namespace is the namespace to look at; empty means all.
	Namespace string
	Options   trace.Options
	// LeaveNodes gives up on Nodes that do not exist: what they had is not put back.
	LeaveNodes bool
	// Definitions removes the kinds of Sickbay as well.
	Definitions bool
	Clock       clock.PassiveClock
}

// Item is an object with something of Sickbay's, or something that people wrote for Sickbay.
type Item struct {
	Kind schema.GroupVersionKind
	Key  client.ObjectKey
	// What describes what is Sickbay's on it.
	What []string
	// Yours describes what people wrote for Sickbay, which stays.
	Yours []string

	step step
}

// String names the object for people.
func (i Item) String() string {
	if i.Key.Namespace == "" {
		return i.Kind.Kind + " " + i.Key.Name
	}
	return i.Kind.Kind + " " + i.Key.String()
}

// step is the order of removal: what keeps a host off goes first, and its records last.
type step int

const (
	letHostsOn step = iota
	serveNodes
	takeBack
	endRecords
	dropLeases
	dropKinds
)

// Survey is the result of looking at everything.
type Survey struct {
	// Items are in the order of removal.
	Items []Item
	// Leaders are the managers that lead, which would write everything again.
	Leaders []string
	// ObjectsUnread reports that objects of some kind could not be read: they may depend on ours.
	ObjectsUnread bool
	// LeadersUnread reports that it is not known whether a manager leads.
	LeadersUnread bool
	// NoLease reports that no manager has a lease, so one may be running without leader election.
	NoLease bool
	// Unread says what could not be read, and why.
	Unread []string
}

// Ours returns the number of objects with something of Sickbay's.
func (s Survey) Ours() (n int) {
	for _, item := range s.Items {
		if len(item.What) > 0 {
			n++
		}
	}
	return n
}

// kinds are the kinds to look at, and the step in which to remove what is found on them.
var kinds = []struct {
	kind schema.GroupVersionKind
	step step
}{
	{trace.Hosts, letHostsOn},
	{trace.Machines, takeBack},
	{trace.OpenShiftMachines, takeBack},
	{trace.Checks, takeBack},
	{trace.OpenShiftChecks, takeBack},
	{trace.Clusters, takeBack},
	{trace.Plans, takeBack},
	{trace.RebootTemplates, takeBack},
	{trace.Records, endRecords},
	{trace.Reboots, endRecords},
}

// Survey looks at everything.
func (u *Uninstaller) Survey(ctx context.Context) (Survey, error) {
	s := Survey{}
	if err := u.objects(ctx, &s); err != nil {
		return s, err
	}
	before := len(s.Unread)
	s.ObjectsUnread = before > 0
	if err := s.unread("leases", u.leases(ctx, &s)); err != nil {
		return s, err
	}
	s.LeadersUnread = len(s.Unread) > before
	if u.Definitions {
		if err := s.unread("definitions", u.surveyKinds(ctx, &s)); err != nil {
			return s, err
		}
	}
	slices.SortStableFunc(s.Items, func(a, b Item) int { return int(a.step - b.step) })
	return s, nil
}

// objects reads the kinds that Sickbay writes to, and then the kinds of requests that they name.
func (u *Uninstaller) objects(ctx context.Context, s *Survey) error {
	requests := requestKinds{}
	for _, one := range kinds {
		err := u.each(ctx, one.kind, func(obj *unstructured.Unstructured) error {
			requests.of(obj)
			s.add(obj, one.step, trace.Of(obj, u.Options))
			if one.kind == trace.Reboots {
				return surveyNode(s, obj)
			}
			return nil
		})
		if err := s.unread(one.kind.GroupKind().String(), err); err != nil {
			return err
		}
	}
	for _, kind := range requests.sorted() {
		err := u.each(ctx, kind, func(obj *unstructured.Unstructured) error {
			s.add(obj, takeBack, trace.Of(obj, u.Options))
			return nil
		})
		if err := s.unread(kind.GroupKind().String(), err); err != nil {
			return err
		}
	}
	return nil
}

func (s *Survey) add(obj *unstructured.Unstructured, when step, found trace.Object) {
	if len(found.Ours)+len(found.Yours) > 0 {
		s.Items = append(s.Items, Item{Kind: obj.GroupVersionKind(), Key: client.ObjectKeyFromObject(obj), What: found.What(), Yours: found.Yours, step: when})
	}
}

// unread records what may not be read. A kind that is not installed has nothing to find.
func (s *Survey) unread(what string, err error) error {
	switch {
	case err == nil, meta.IsNoMatchError(err), apierrors.IsNotFound(err):
		return nil
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		s.Unread = append(s.Unread, fmt.Sprintf("%s: %v", what, err))
		return nil
	}
	return fmt.Errorf("reading %s: %w", what, err)
}

// page is how many objects are read in one request.
const page = 500

// each reads all objects of a kind.
func (u *Uninstaller) each(ctx context.Context, kind schema.GroupVersionKind, look func(*unstructured.Unstructured) error) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	for {
		if err := u.Client.List(ctx, list, client.InNamespace(u.Namespace), client.Limit(page), client.Continue(list.GetContinue())); err != nil {
			return err
		}
		for i := range list.Items {
			if err := look(&list.Items[i]); err != nil {
				return err
			}
		}
		if list.GetContinue() == "" {
			return nil
		}
	}
}

// clockSlack is how overdue a lease may be, since the person's clock may be fast.
const clockSlack = time.Minute

// leases finds the leases of managers, and who leads. It ignores managers of other namespaces if the namespace
// is limited.
func (u *Uninstaller) leases(ctx context.Context, s *Survey) error {
	var list coordinationv1.LeaseList
	if err := u.Client.List(ctx, &list); err != nil {
		return err
	}
	s.NoLease = true
	for i := range list.Items {
		one := &list.Items[i]
		if !lease.Of(one) {
			continue
		}
		s.NoLease = false
		item := Item{Kind: coordinationv1.SchemeGroupVersion.WithKind("Lease"), Key: client.ObjectKeyFromObject(one), What: []string{"the whole object"}, step: dropLeases}
		leader := scope.Leader{Scope: scope.Of(one.Annotations)}
		if lease.Held(one, u.Clock.Now(), clockSlack) && leader.Looks(u.Namespace) {
			s.Leaders = append(s.Leaders, fmt.Sprintf("%s (lease %s)", lease.Holder(one), item.Key))
		}
		if u.Namespace == "" {
			// Managers of other namespaces may still need their leases.
			s.Items = append(s.Items, item)
		}
	}
	return nil
}
