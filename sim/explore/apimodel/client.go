package apimodel

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Call is one request of a client.
type Call struct {
	// Verb is get, list, create, update, patch, apply or delete.
	Verb   string
	Kind   schema.GroupVersionKind
	Key    client.ObjectKey
	Status bool
	// Live is true for a read that bypasses the cache.
	Live bool
}

// String describes the call in words.
func (c Call) String() string {
	what := c.Kind.Kind
	if c.Status {
		what += "/status"
	}
	if c.Live {
		what += " live"
	}
	if c.Key.Name == "" {
		return c.Verb + " " + what
	}
	return c.Verb + " " + what + " " + c.Key.Name
}

// Client reads from the caches of a View and writes to the Server, as the client of a manager does.
type Client struct {
	Server *Server
	View   *View
	// Reads is called before each read, from a cache or live; an error fails the read. Nil allows all.
	Reads func(Call) error
	// Read is called with each object that a read returns. It may be nil.
	Read func(Call, *Object)
	// Writes carries out a write. Nil does it at once.
	Writes func(call Call, write func() error) error
}

var _ client.Client = &Client{}

// Live returns a reader that bypasses the caches.
func (c *Client) Live() client.Reader { return live{c} }

type live struct{ c *Client }

func (l live) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	return l.c.get(key, obj, true)
}

func (l live) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return l.c.list(list, true, opts)
}

// Get implements client.Client.
func (c *Client) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	return c.get(key, obj, false)
}

// List implements client.Client.
func (c *Client) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	return c.list(list, false, opts)
}

func (c *Client) get(key client.ObjectKey, obj client.Object, live bool) error {
	call := Call{Verb: "get", Kind: c.Server.Kind(obj), Key: key, Live: live}
	if err := c.before(call); err != nil {
		return err
	}
	from := c.state(call.Kind, live)
	if c.Read != nil {
		c.Read(call, from.find(key))
	}
	return get(call.Kind, from, key, obj)
}

func (c *Client) list(list client.ObjectList, live bool, opts []client.ListOption) error {
	call := Call{Verb: "list", Kind: c.Server.Kind(list), Live: live}
	if err := c.before(call); err != nil {
		return err
	}
	found := c.Server.list(call.Kind, c.state(call.Kind, live), list, opts)
	if c.Read == nil {
		return nil
	}
	for _, obj := range found {
		call.Key = obj.key
		c.Read(call, obj)
	}
	return nil
}

func (c *Client) before(call Call) error {
	if c.Reads == nil {
		return nil
	}
	return c.Reads(call)
}

func (c *Client) state(gvk schema.GroupVersionKind, live bool) state {
	if live || c.View == nil {
		return c.Server.history(gvk).latest()
	}
	return c.View.state(gvk)
}

func (c *Client) write(call Call, write func() error) error {
	if c.Writes == nil {
		return write()
	}
	return c.Writes(call, write)
}

// answer carries out a write that returns the object.
func (c *Client) answer(call Call, obj client.Object, write func(request) (*Object, error), r request) error {
	return c.write(call, func() error {
		stored, err := write(r)
		if err == nil {
			stored.into(obj)
		}
		return err
	})
}

func (c *Client) of(verb string, obj client.Object, status bool) (Call, request) {
	gvk, key := c.Server.Kind(obj), client.ObjectKeyFromObject(obj)
	return Call{Verb: verb, Kind: gvk, Key: key, Status: status}, request{gvk: gvk, key: key, status: status}
}

// Create implements client.Client.
func (c *Client) Create(_ context.Context, obj client.Object, opts ...client.CreateOption) error {
	var options client.CreateOptions
	options.ApplyOptions(opts)
	call, r := c.of("create", obj, false)
	r.owner = options.FieldManager
	return c.answer(call, obj, func(r request) (*Object, error) { return c.Server.create(r, encode(obj)) }, r)
}

// Update implements client.Client.
func (c *Client) Update(_ context.Context, obj client.Object, opts ...client.UpdateOption) error {
	var options client.UpdateOptions
	options.ApplyOptions(opts)
	return c.update(obj, false, options.FieldManager)
}

func (c *Client) update(obj client.Object, status bool, owner string) error {
	call, r := c.of("update", obj, status)
	r.owner = owner
	return c.answer(call, obj, func(r request) (*Object, error) {
		return c.Server.change(r, func(*Object) (map[string]any, error) {
			if obj.GetResourceVersion() == "" {
				return nil, invalid(r, "metadata.resourceVersion: must be specified for an update")
			}
			if status {
				return encodeStatus(obj), nil
			}
			return encodeRest(obj), nil
		})
	}, r)
}

// Delete implements client.Client.
func (c *Client) Delete(_ context.Context, obj client.Object, opts ...client.DeleteOption) error {
	var options client.DeleteOptions
	options.ApplyOptions(opts)
	call, r := c.of("delete", obj, false)
	var bound preconditions
	if p := options.Preconditions; p != nil {
		bound = preconditions{p.UID, p.ResourceVersion}
	}
	return c.write(call, func() error { return c.Server.remove(r, &bound) })
}

// DeleteAllOf implements client.Client.
func (c *Client) DeleteAllOf(context.Context, client.Object, ...client.DeleteAllOfOption) error {
	panic("apimodel: DeleteAllOf is not supported")
}

// Patch implements client.Client.
func (c *Client) Patch(_ context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	var options client.PatchOptions
	options.ApplyOptions(opts)
	return c.patch(obj, patch, false, options.FieldManager)
}

// Apply implements client.Client.
func (c *Client) Apply(_ context.Context, config runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	var options client.ApplyOptions
	options.ApplyOptions(opts)
	return c.apply(config, false, options.FieldManager)
}

// Status implements client.Client.
func (c *Client) Status() client.SubResourceWriter { return statusWriter{c} }

// SubResource implements client.Client.
func (c *Client) SubResource(name string) client.SubResourceClient {
	if name != "status" {
		panic(fmt.Sprintf("apimodel: subresource %s is not supported", name))
	}
	return statusWriter{c}
}

// Scheme implements client.Client.
func (c *Client) Scheme() *runtime.Scheme { return c.Server.Scheme }

// RESTMapper implements client.Client.
func (c *Client) RESTMapper() meta.RESTMapper { return meta.NewDefaultRESTMapper(nil) }

// GroupVersionKindFor implements client.Client.
func (c *Client) GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error) {
	return kindOf(c.Server.Scheme, obj)
}

// IsObjectNamespaced implements client.Client.
func (c *Client) IsObjectNamespaced(runtime.Object) (bool, error) { return true, nil }

// fieldsOf returns a copy of an apply configuration.
func fieldsOf(config runtime.ApplyConfiguration) map[string]any {
	u, ok := config.(interface{ UnstructuredContent() map[string]any })
	if !ok {
		panic(fmt.Sprintf("apimodel: a %T is not supported", config))
	}
	return copied(u.UnstructuredContent()).(map[string]any)
}
