package env

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// Option configures the API server and the client.
type Option func(*options)

type options struct {
	addToScheme []func(*runtime.Scheme) error
	crds        []func() ([]*apiextensionsv1.CustomResourceDefinition, error)
}

func newOptions(opts []Option) *options {
	o := &options{addToScheme: []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme}}
	for _, opt := range slices.Concat(base(), opts) {
		opt(o)
	}
	return o
}

// WithScheme adds kinds to the scheme.
func WithScheme(add ...func(*runtime.Scheme) error) Option {
	return func(o *options) { o.addToScheme = append(o.addToScheme, add...) }
}

// WithCRDs installs additional custom resource definitions.
func WithCRDs(crds ...*apiextensionsv1.CustomResourceDefinition) Option {
	return withCRDs(func() ([]*apiextensionsv1.CustomResourceDefinition, error) { return crds, nil })
}

// WithCRDFiles installs the custom resource definitions in files of this repository, named by glob patterns
// relative to its root, such as "config/crd/*.yaml".
func WithCRDFiles(patterns ...string) Option {
	return withCRDs(func() ([]*apiextensionsv1.CustomResourceDefinition, error) {
		root, err := repositoryRoot()
		if err != nil {
			return nil, err
		}
		return readCRDs(root, patterns...)
	})
}

// WithModuleCRDs installs the custom resource definitions in files of a Go module that the tested
// module requires, named by glob patterns relative to the module's root.
func WithModuleCRDs(module string, patterns ...string) Option {
	return withCRDs(func() ([]*apiextensionsv1.CustomResourceDefinition, error) {
		dir, err := moduleDir(module)
		if err != nil {
			return nil, err
		}
		return readCRDs(dir, patterns...)
	})
}

// withCRDs takes a function, so that files are read only if the API server starts.
func withCRDs(read func() ([]*apiextensionsv1.CustomResourceDefinition, error)) Option {
	return func(o *options) { o.crds = append(o.crds, read) }
}
