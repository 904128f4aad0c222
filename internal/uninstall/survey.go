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

// Uninstaller takes back what Sickbay has written.
type Uninstaller struct {
	// Client reads and writes without a cache, with the rights of the person.
	Client client.Client
	// Workload connects to the workload cluster of a machine.
	Workload func(ctx context.Context, cluster client.ObjectKey) (client.Client, error)
	// Namespace is the one that is looked at; empty means all.
	Namespace string
	Options   trace.Options
	// LeaveNodes gives up what Nodes that are not there have not got back.
	LeaveNodes bool
	// Definitions has the kinds of Sickbay go as well.
	Definitions bool
	Clock       clock.PassiveClock
}

// Item is an object on which something of Sickbay's was found, or something of yours.
type Item struct {
	Kind schema.GroupVersionKind
	Key  client.ObjectKey
	// What is Sickbay's on it.
	What []string
	// Yours is what people have written for Sickbay, which stays.
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

// step says when something is taken back: what keeps a host off goes first, and the records of it last.
type step int

const (
	letHostsOn step = iota
	serveNodes
	takeBack
	endRecords
	dropLeases
	dropKinds
)

// Survey is what was found.
type Survey struct {
	// Items are in the order in which they are taken back.
	Items []Item
	// Leaders are the managers that lead, which would write it all anew.
	Leaders []string
	// ObjectsUnread reports that objects of some kind could not be looked at: they may need ours.
	ObjectsUnread bool
	// LeadersUnread reports that nobody knows whether one leads.
	LeadersUnread bool
	// Unread says what could not be looked at, and why.
	Unread []string
}

// Ours counts the objects on which something of Sickbay's is.
func (s Survey) Ours() (n int) {
	for _, item := range s.Items {
		if len(item.What) > 0 {
			n++
		}
	}
	return n
}

// kinds are those that are looked at, and when what is found on them goes.
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

// objects looks at those that Sickbay writes to, and then at the requests that they lead to.
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

// unread notes what may not be read. A kind that is not installed has nothing on it.
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

// page is how many objects are read at once.
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

// clockSlack is by how much a lease may be overdue, as the clock of the person may be fast.
const clockSlack = time.Minute

// leases finds those of managers, and who leads. Those that look after another namespace do not matter to one.
func (u *Uninstaller) leases(ctx context.Context, s *Survey) error {
	var list coordinationv1.LeaseList
	if err := u.Client.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		one := &list.Items[i]
		if !lease.Of(one) {
			continue
		}
		item := Item{Kind: coordinationv1.SchemeGroupVersion.WithKind("Lease"), Key: client.ObjectKeyFromObject(one), What: []string{"the whole object"}, step: dropLeases}
		leader := scope.Leader{Scope: scope.Of(one.Annotations)}
		if lease.Held(one, u.Clock.Now(), clockSlack) && leader.Looks(u.Namespace) {
			s.Leaders = append(s.Leaders, fmt.Sprintf("%s (lease %s)", lease.Holder(one), item.Key))
		}
		if u.Namespace == "" {
			// Elsewhere somebody may still need it.
			s.Items = append(s.Items, item)
		}
	}
	return nil
}
