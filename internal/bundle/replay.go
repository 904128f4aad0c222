package bundle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
)

// frozen is a clock that stands still.
type frozen time.Time

func (f frozen) Now() time.Time                  { return time.Time(f) }
func (f frozen) Since(t time.Time) time.Duration { return time.Time(f).Sub(t) }

// sources are the inputs of one look.
type sources struct {
	snapshot     *snapshot
	nodes        *nodes
	client, live client.Reader
	settings     Settings
	manager      explain.Manager
	at           time.Time
}

// look runs the controllers' observers.
func (s sources) look(ctx context.Context) (explain.Facts, error) {
	indexes := mhcspec.AddTo(ctx, s.snapshot, slices.Concat(mhcspec.Indexes(), recordstore.Indexes()))
	var hosts *machinehealth.Hosts
	c, live := snapshotReader{s.snapshot, s.client}, snapshotReader{s.snapshot, s.live}
	if s.settings.Hosts {
		hosts = &machinehealth.Hosts{Client: c, Live: live}
		indexes = errors.Join(indexes, hosts.Appeared(ctx, s.snapshot))
	}
	if indexes != nil {
		return explain.Facts{}, indexes
	}
	facts, err := fleet.New(fleet.Sources{
		Client: c, Live: live, Nodes: s.nodes, Hosts: hosts, GracePeriod: s.settings.GracePeriod.Duration,
		Policy:    mhcspec.Policy{Adopt: s.settings.Adopt, WatchFilter: s.settings.WatchFilter},
		Namespace: s.settings.Namespace, Records: s.settings.Records, Clock: frozen(s.at),
	}).Look(ctx, s.settings.Namespace)
	facts.Assumed, facts.Manager = s.settings.Assumed, s.manager
	return facts, err
}

// Replay judges a bundle again with the decisions of this version. The scheme must have the kinds that Sickbay reads.
func Replay(ctx context.Context, b *Bundle, scheme *runtime.Scheme) ([]explain.Page, error) {
	if err := explain.Explains(b.Asked.Kind); err != nil {
		return nil, fmt.Errorf("judging a bundle: %w", err)
	}
	s, err := snapshotOf(b, scheme)
	if err != nil {
		return nil, err
	}
	facts, err := sources{snapshot: s, nodes: nodesOf(b.Workload), settings: b.Settings, manager: b.Manager, at: b.At}.look(ctx)
	if err != nil {
		return nil, fmt.Errorf("judging a bundle: %w", err)
	}
	return facts.Of(b.Asked.Kind, b.Asked.Name), nil
}

// snapshotOf returns the snapshot in a bundle, which has no source for anything else.
func snapshotOf(b *Bundle, scheme *runtime.Scheme) (*snapshot, error) {
	s := newSnapshot(scheme)
	for _, content := range b.Objects {
		u := &unstructured.Unstructured{Object: content}
		gvk := u.GroupVersionKind()
		obj := s.blank(gvk, false)
		if err := into(u, gvk, obj); err != nil {
			return nil, err
		}
		s.keep(gvk, client.ObjectKeyFromObject(u), &kept{obj: obj})
	}
	for _, one := range b.Refusals {
		gvk := schema.FromAPIVersionAndKind(one.APIVersion, one.Kind)
		s.refusals[place{gvk, client.ObjectKey{Namespace: one.Namespace, Name: one.Name}}] = one.error(gvk)
	}
	return s, nil
}

// objectsOf returns the objects of a snapshot that were used, in order.
func objectsOf(s *snapshot) ([]map[string]any, error) {
	var all []map[string]any
	for _, gvk := range sorted(s.objects) {
		for _, key := range sorted(s.objects[gvk]) {
			one := s.objects[gvk][key]
			if !one.used {
				continue
			}
			content, err := contentOf(one.obj, gvk)
			if err != nil {
				return nil, err
			}
			all = append(all, content)
		}
	}
	return all, nil
}

func refusalsOf(s *snapshot) []Refusal {
	var all []Refusal
	for at, err := range s.refusals {
		if s.objects[at.gvk][at.key] != nil {
			continue
		}
		one := Refusal{Namespace: at.key.Namespace, Name: at.key.Name, Message: err.Error(), NotInstalled: meta.IsNoMatchError(err)}
		one.APIVersion, one.Kind = at.gvk.ToAPIVersionAndKind()
		if status, ok := errors.AsType[*apierrors.StatusError](err); ok {
			one.Status = new(status.Status())
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.APIVersion, b.APIVersion))
	})
	return all
}

// refused is an error with the message that was stored.
type refused struct {
	error
	message string
}

func (r refused) Error() string { return r.message }
func (r refused) Unwrap() error { return r.error }

func (r Refusal) error(gvk schema.GroupVersionKind) error {
	switch {
	case r.NotInstalled:
		return refused{&meta.NoKindMatchError{GroupKind: gvk.GroupKind(), SearchedVersions: []string{gvk.Version}}, r.Message}
	case r.Status != nil:
		return refused{&apierrors.StatusError{ErrStatus: *r.Status}, r.Message}
	}
	return errors.New(r.Message)
}

// sameTimes compares like the API, but times as instants: stored times have no time zone.
var sameTimes = func() conversion.Equalities {
	e := equality.Semantic.Copy()
	utilruntime.Must(e.AddFunc(time.Time.Equal))
	return e
}()

// SameDecision reports whether pages equal those in the bundle.
func (b *Bundle) SameDecision(pages []explain.Page) bool { return sameTimes.DeepEqual(b.Pages, pages) }
