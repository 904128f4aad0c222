package targets

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

var _ client.Client = &target{}

// Get implements client.Reader.
func (t *target) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	return t.do(ctx, func(c client.Client) error { return c.Get(ctx, key, obj, opts...) })
}

// List implements client.Reader.
func (t *target) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return t.do(ctx, func(c client.Client) error { return c.List(ctx, list, opts...) })
}

// Apply implements client.Writer.
func (t *target) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	return t.do(ctx, func(c client.Client) error { return c.Apply(ctx, obj, opts...) })
}

// Create implements client.Writer.
func (t *target) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	return t.do(ctx, func(c client.Client) error { return c.Create(ctx, obj, opts...) })
}

// Delete implements client.Writer.
func (t *target) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	return t.do(ctx, func(c client.Client) error { return c.Delete(ctx, obj, opts...) })
}

// Update implements client.Writer.
func (t *target) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	return t.do(ctx, func(c client.Client) error { return c.Update(ctx, obj, opts...) })
}

// Patch implements client.Writer.
func (t *target) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	return t.do(ctx, func(c client.Client) error { return c.Patch(ctx, obj, patch, opts...) })
}

// DeleteAllOf implements client.Writer.
func (t *target) DeleteAllOf(ctx context.Context, obj client.Object, opts ...client.DeleteAllOfOption) error {
	return t.do(ctx, func(c client.Client) error { return c.DeleteAllOf(ctx, obj, opts...) })
}

// Status implements client.StatusClient.
func (t *target) Status() client.SubResourceWriter { return t.SubResource("status") }

// SubResource implements client.SubResourceClientConstructor.
func (t *target) SubResource(name string) client.SubResourceClient { return subResource{t, name} }

// Scheme implements client.Client.
func (t *target) Scheme() *runtime.Scheme { return t.options.Scheme }

// RESTMapper implements client.Client. Until there is a connection, it knows no kinds.
func (t *target) RESTMapper() meta.RESTMapper {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn == nil {
		return meta.NewDefaultRESTMapper(nil)
	}
	return t.conn.client.RESTMapper()
}

// GroupVersionKindFor implements client.Client.
func (t *target) GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(obj, t.options.Scheme)
}

// IsObjectNamespaced implements client.Client.
func (t *target) IsObjectNamespaced(obj runtime.Object) (bool, error) {
	return apiutil.IsObjectNamespaced(obj, t.options.Scheme, t.RESTMapper())
}

// subResource is the client for one subresource, such as "status".
type subResource struct {
	target *target
	name   string
}

func (s subResource) do(ctx context.Context, call func(client.SubResourceClient) error) error {
	return s.target.do(ctx, func(c client.Client) error { return call(c.SubResource(s.name)) })
}

// Get implements client.SubResourceReader.
func (s subResource) Get(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceGetOption) error {
	return s.do(ctx, func(c client.SubResourceClient) error { return c.Get(ctx, obj, sub, opts...) })
}

// Create implements client.SubResourceWriter.
func (s subResource) Create(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceCreateOption) error {
	return s.do(ctx, func(c client.SubResourceClient) error { return c.Create(ctx, obj, sub, opts...) })
}

// Update implements client.SubResourceWriter.
func (s subResource) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	return s.do(ctx, func(c client.SubResourceClient) error { return c.Update(ctx, obj, opts...) })
}

// Patch implements client.SubResourceWriter.
func (s subResource) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	return s.do(ctx, func(c client.SubResourceClient) error { return c.Patch(ctx, obj, patch, opts...) })
}

// Apply implements client.SubResourceWriter.
func (s subResource) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	return s.do(ctx, func(c client.SubResourceClient) error { return c.Apply(ctx, obj, opts...) })
}
