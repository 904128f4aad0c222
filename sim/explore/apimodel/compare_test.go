package apimodel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

// TestAsARealAPIServer sends the same requests to the model and to a real API server. Their answers, and what they store,
// must be the same.
func TestAsARealAPIServer(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			e := env.Get(t)
			real := play(t, e.Client, e.Namespace(t), script)
			server := &apimodel.Server{Scheme: e.Scheme, Indexes: mhcspec.Indexes(), Now: time.Now}
			modelled := play(t, &apimodel.Client{Server: server}, "test-ns", script)
			if diff := cmp.Diff(real, modelled); diff != "" {
				t.Errorf("the model differs (-real API server +model):\n%s", diff)
			}
			if len(real) < 2 {
				t.Error("the script does nothing")
			}
		})
	}
}

// player runs a script and records the results.
type player struct {
	t    *testing.T
	ctx  context.Context
	c    client.Client
	ns   string
	seen []string
	// versions and uids are the last ones seen, by name.
	versions, uids map[string]string
}

func play(t *testing.T, c client.Client, ns string, script func(*player)) []string {
	t.Helper()
	p := &player{t: t, ctx: t.Context(), c: c, ns: ns, versions: map[string]string{}, uids: map[string]string{}}
	script(p)
	return p.seen
}

// note records an answer, and what is stored of obj then.
func (p *player) note(what string, err error, obj client.Object) {
	p.t.Helper()
	answer := "done"
	if err != nil {
		answer = fmt.Sprintf("%s %t", apierrors.ReasonForError(err), apierrors.IsInvalid(err))
	}
	for _, uid := range p.uids {
		what = strings.ReplaceAll(what, uid, "UID")
	}
	for _, version := range p.versions {
		what = strings.ReplaceAll(what, strconv.Quote(version), "VERSION")
	}
	p.seen = append(p.seen, what+": "+answer, what+": "+p.stored(obj))
}

// stored describes what is stored of an object.
func (p *player) stored(obj client.Object) string {
	p.t.Helper()
	u := &unstructured.Unstructured{}
	gvk, err := p.c.GroupVersionKindFor(obj)
	if err != nil {
		p.t.Fatal(err)
	}
	u.SetGroupVersionKind(gvk)
	if err := p.c.Get(p.ctx, client.ObjectKeyFromObject(obj), u); err != nil {
		if !apierrors.IsNotFound(err) {
			p.t.Fatal(err)
		}
		return "not found"
	}
	key := u.GetName()
	version, uid := p.versions[key], p.uids[key]
	p.versions[key], p.uids[key] = u.GetResourceVersion(), string(u.GetUID())
	delete(u.Object, "spec")
	if spec := specOf(p, gvk.Kind, obj); spec != nil {
		u.Object["spec"] = spec
	}
	facts := map[string]any{
		"labels": u.GetLabels(), "annotations": u.GetAnnotations(), "finalizers": u.GetFinalizers(), "generation": u.GetGeneration(),
		"owners": len(u.GetOwnerReferences()), "deleting": !u.GetDeletionTimestamp().IsZero(), "status": u.Object["status"],
		"spec": u.Object["spec"], "changed": version != u.GetResourceVersion(), "another": uid != string(u.GetUID()), "ours": ours(u),
	}
	data, err := json.MarshalIndent(facts, "", " ")
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// specOf returns the part of a spec that scripts change.
func specOf(p *player, kind string, obj client.Object) any {
	if kind != "MachineRemediation" {
		return nil
	}
	u := &unstructured.Unstructured{}
	u.SetAPIVersion("sickbay.dev/v1alpha1")
	u.SetKind(kind)
	if err := p.c.Get(p.ctx, client.ObjectKeyFromObject(obj), u); err != nil {
		return nil
	}
	grant, _, _ := unstructured.NestedInt64(u.Object, "spec", "grant")
	return map[string]any{"grant": grant}
}

// ours returns which conditions the field owners of the scripts have written.
func ours(obj client.Object) []string {
	var found []string
	for _, owner := range []string{"sickbay-a", "sickbay-b"} {
		for _, condition := range []string{"One", "Two", "OwnerRemediated"} {
			if ownwrites.Wrote(obj, condition, owner) {
				found = append(found, owner+" "+condition)
			}
		}
	}
	slices.Sort(found)
	return found
}

func (p *player) patch(kind types.PatchType, body string, obj client.Object, opts ...client.PatchOption) {
	p.t.Helper()
	err := p.c.Patch(p.ctx, obj.DeepCopyObject().(client.Object), client.RawPatch(kind, []byte(body)), opts...)
	p.note("patch "+body, err, obj)
}

func (p *player) patchStatus(kind types.PatchType, body string, obj client.Object, opts ...client.SubResourcePatchOption) {
	p.t.Helper()
	err := p.c.Status().Patch(p.ctx, obj.DeepCopyObject().(client.Object), client.RawPatch(kind, []byte(body)), opts...)
	p.note("patch status "+body, err, obj)
}

// apply applies fields to an object, or to its status.
func (p *player) apply(owner string, obj client.Object, status bool, fields map[string]any) {
	p.t.Helper()
	u := &unstructured.Unstructured{Object: fields}
	gvk, err := p.c.GroupVersionKindFor(obj)
	if err != nil {
		p.t.Fatal(err)
	}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(p.ns)
	u.SetName(obj.GetName())
	config := client.ApplyConfigurationFromUnstructured(u)
	if status {
		err = p.c.Status().Apply(p.ctx, config, client.FieldOwner(owner), client.ForceOwnership)
	} else {
		err = p.c.Apply(p.ctx, config, client.FieldOwner(owner), client.ForceOwnership)
	}
	p.note("apply by "+owner, err, obj)
	p.seen = append(p.seen, fmt.Sprintf("answered with a version: %t", u.GetResourceVersion() == p.versions[obj.GetName()]))
}
