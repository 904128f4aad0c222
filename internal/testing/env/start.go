package env

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// patience is how long the API server and its CRDs may take. Several packages start one at the same time on a
// small machine, so envtest's own limits are too tight.
const patience = 3 * time.Minute

// start runs an API server and connects to it.
func start(o *options) (*Env, error) {
	scheme := runtime.NewScheme()
	for _, add := range o.addToScheme {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("building the scheme: %w", err)
		}
	}
	server, guard, err := newServer(o)
	if err != nil {
		return nil, err
	}
	stop := func() error { return errors.Join(server.Stop(), guard.dismiss()) }

	config, err := server.Start()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting kube-apiserver and etcd: %w", err), stop())
	}
	e, err := connect(config, scheme)
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	e.stop = stop
	return e, nil
}

func newServer(o *options) (*envtest.Environment, *guard, error) {
	assets, err := assetsDir()
	if err != nil {
		return nil, nil, err
	}
	server := &envtest.Environment{
		// envtest must not see our scheme: it would give kinds with several versions a conversion webhook.
		Scheme:                   clientgoscheme.Scheme,
		ControlPlaneStartTimeout: patience,
		ControlPlaneStopTimeout:  patience,
		CRDInstallOptions:        envtest.CRDInstallOptions{Scheme: clientgoscheme.Scheme, MaxTime: patience},
	}
	for _, read := range o.crds {
		crds, err := read()
		if err != nil {
			return nil, nil, err
		}
		server.CRDInstallOptions.CRDs = append(server.CRDInstallOptions.CRDs, crds...)
	}
	g, err := newGuard()
	if err != nil {
		return nil, nil, err
	}
	if err := useGuard(server, g, assets); err != nil {
		return nil, nil, errors.Join(err, g.dismiss())
	}
	return server, g, nil
}

// useGuard lets the guard wrap the two servers, and keeps their files where the guard deletes them.
func useGuard(server *envtest.Environment, g *guard, assets string) (err error) {
	apiServer := server.ControlPlane.GetAPIServer()
	if apiServer.Path, err = g.wrap(filepath.Join(assets, "kube-apiserver")); err != nil {
		return err
	}
	if apiServer.CertDir, err = g.subdir("apiserver-certs"); err != nil {
		return err
	}
	etcd := &envtest.Etcd{}
	server.ControlPlane.Etcd = etcd
	if etcd.Path, err = g.wrap(filepath.Join(assets, "etcd")); err != nil {
		return err
	}
	etcd.DataDir, err = g.subdir("etcd-data")
	return err
}

func connect(config *rest.Config, scheme *runtime.Scheme) (*Env, error) {
	config.QPS = -1 // client-go's limit of a few requests per second would slow down every test
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return &Env{Config: config, Client: c, Scheme: scheme}, nil
}
