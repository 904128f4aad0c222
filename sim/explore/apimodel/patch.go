package apimodel

import (
	"context"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func (c *Client) patch(obj client.Object, patch client.Patch, status bool, owner string) error {
	data, err := patch.Data(obj)
	if err != nil {
		return fmt.Errorf("encoding a patch: %w", err)
	}
	call, r := c.of("patch", obj, status)
	r.owner = owner
	apply := jsonpatch.MergePatch
	switch patch.Type() {
	case types.MergePatchType:
	case types.JSONPatchType:
		apply = jsonPatch
	default:
		panic(fmt.Sprintf("apimodel: a patch of type %s is not supported", patch.Type()))
	}
	return c.answer(call, obj, func(r request) (*Object, error) {
		return c.Server.change(r, func(old *Object) (map[string]any, error) {
			next, err := patched(old.raw, data, apply)
			if err != nil {
				return nil, invalid(r, err.Error())
			}
			return next, nil
		})
	}, r)
}

// apply is server-side apply with force. It creates no objects, because whatever Sickbay applies to
// exists.
func (c *Client) apply(config runtime.ApplyConfiguration, status bool, owner string) error {
	fields := fieldsOf(config)
	u := &unstructured.Unstructured{Object: fields}
	call, r := c.of("apply", u, status)
	r.owner, r.applied = owner, fields
	return c.write(call, func() error {
		old := c.Server.Latest(r.gvk, r.key)
		if old == nil && !status && u.GetUID() != "" {
			return conflict(r, "no object with that UID")
		}
		if old == nil && !status {
			panic("apimodel: apply does not create")
		}
		if old == nil {
			return apierrors.NewNotFound(resource(r.gvk), r.key.Name)
		}
		stored, err := c.Server.change(r, func(old *Object) (map[string]any, error) {
			return r.serverSideApply(old, r.draft(old)), nil
		})
		if err != nil {
			return err
		}
		// Like the real client, fill the apply configuration with what is stored.
		if answered, ok := config.(interface{ SetUnstructuredContent(content map[string]any) }); ok {
			answered.SetUnstructuredContent(r.draft(stored))
		}
		return nil
	})
}

type statusWriter struct{ c *Client }

func (w statusWriter) Get(context.Context, client.Object, client.Object, ...client.SubResourceGetOption) error {
	panic("apimodel: a status is not read alone")
}

func (w statusWriter) Create(context.Context, client.Object, client.Object, ...client.SubResourceCreateOption) error {
	panic("apimodel: a status is not created")
}

func (w statusWriter) Update(_ context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	var options client.SubResourceUpdateOptions
	options.ApplyOptions(opts)
	return w.c.update(obj, true, options.FieldManager)
}

func (w statusWriter) Patch(_ context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	var options client.SubResourcePatchOptions
	options.ApplyOptions(opts)
	return w.c.patch(obj, patch, true, options.FieldManager)
}

func (w statusWriter) Apply(_ context.Context, config runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	var options client.SubResourceApplyOptions
	options.ApplyOpts(opts)
	return w.c.apply(config, true, options.FieldManager)
}
