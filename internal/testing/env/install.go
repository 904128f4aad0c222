package env

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Install adds custom resource definitions, such as those of WithModuleCRDs, to the running API server. They
// stay until it stops.
func (e *Env) Install(t testing.TB, opts ...Option) {
	t.Helper()
	o := &options{}
	for _, opt := range opts {
		opt(o)
	}
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, read := range o.crds {
		crds, err := read()
		if err != nil {
			t.Fatalf("reading custom resource definitions: %v", err)
		}
		all = append(all, crds...)
	}
	install := envtest.CRDInstallOptions{Scheme: clientgoscheme.Scheme, CRDs: all, MaxTime: patience}
	if _, err := envtest.InstallCRDs(e.Config, install); err != nil {
		t.Fatalf("installing custom resource definitions: %v", err)
	}
}
