package world

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// slowStart bounds each step of the start. The usual 20 s are too short on a machine that compiles at the same
// time.
const slowStart = time.Minute

// crdPoll is the interval between checks whether the definitions are served.
const crdPoll = 20 * time.Millisecond

// etcdQuota is the size limit of a synthetic world's etcd, in bytes: 8 GiB, the recommended maximum.
const etcdQuota = "8589934592"

// controlPlane is the kube-apiserver and the etcd of the management cluster.
type controlPlane struct {
	env      *envtest.Environment
	dir      string
	watchdog io.Closer
}

// startControlPlane starts both processes from one temporary directory, under a watchdog.
func startControlPlane(o Options) (*controlPlane, *rest.Config, error) {
	crds, paths, err := o.definitions()
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "sickbay-world-")
	if err != nil {
		return nil, nil, fmt.Errorf("creating the control plane's directory: %w", err)
	}
	cp := &controlPlane{dir: dir, env: &envtest.Environment{
		// Not NewScheme: for a scheme in which kinds convert, envtest demands conversion webhooks.
		Scheme: scheme.Scheme,
		CRDInstallOptions: envtest.CRDInstallOptions{
			Scheme:             scheme.Scheme,
			CRDs:               crds,
			Paths:              paths,
			ErrorIfPathMissing: true,
			MaxTime:            slowStart,
			PollInterval:       crdPoll,
		},
		ControlPlaneStartTimeout: slowStart,
	}}
	if err := cp.prepare(o); err != nil {
		return nil, nil, err
	}
	config, err := cp.env.Start()
	if err != nil {
		return nil, nil, fmt.Errorf("starting the control plane out of %s (Options.Log gets what it says): %w", o.AssetsDir, cp.abort(err))
	}
	return cp, config, nil
}

// definitions returns the definitions to install, some as objects, some as files.
func (o Options) definitions() (crds []*apiextensionsv1.CustomResourceDefinition, paths []string, err error) {
	if !o.Bare {
		clusterAPI, err := ClusterAPICRDs()
		if err != nil {
			return nil, nil, err
		}
		own, err := SickbayCRDs()
		if err != nil {
			return nil, nil, err
		}
		crds = slices.Concat(clusterAPI, own)
	}
	if o.BareMetal {
		if paths, err = metalCRDs(); err != nil {
			return nil, nil, err
		}
	}
	return crds, slices.Concat(paths, o.CRDPaths), nil
}

// prepare fills the directory and starts the watchdog, so no process ever runs without one.
func (cp *controlPlane) prepare(o Options) error {
	etcd, err := writeLauncher(cp.dir, filepath.Join(o.AssetsDir, "etcd"), o.GOGC)
	if err != nil {
		return err
	}
	apiServer, err := writeLauncher(cp.dir, filepath.Join(o.AssetsDir, "kube-apiserver"), o.GOGC)
	if err != nil {
		return err
	}
	plane := &cp.env.ControlPlane
	plane.Etcd = &envtest.Etcd{Path: etcd, DataDir: filepath.Join(cp.dir, "data"), Out: o.Log, Err: o.Log}
	plane.APIServer = &envtest.APIServer{Path: apiServer, CertDir: filepath.Join(cp.dir, "certs"), Out: o.Log, Err: o.Log}
	if o.Synthetic {
		// The default of 2 GiB fills up after a few revisions of 100,000 Machines.
		plane.Etcd.Configure().Set("quota-backend-bytes", etcdQuota)
	}
	for name, value := range o.APIServerArgs {
		plane.APIServer.Configure().Set(name, value)
	}
	for _, dir := range []string{plane.Etcd.DataDir, plane.APIServer.CertDir} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return fmt.Errorf("creating a directory for the control plane: %w", err)
		}
	}
	cp.watchdog, err = startWatchdog(cp.dir)
	return err
}

// abort lets the watchdog clean up after a failed start.
func (cp *controlPlane) abort(cause error) error {
	_ = cp.watchdog.Close()
	return cause
}

func (cp *controlPlane) stop() error {
	if err := cp.env.Stop(); err != nil {
		return fmt.Errorf("stopping the control plane: %w", cp.abort(err))
	}
	if err := forgetLaunched(cp.dir); err != nil {
		return cp.abort(err)
	}
	return cp.watchdog.Close()
}

// WriteKubeconfig writes a kubeconfig of the management cluster that only the user can read. kubectl and other
// processes can use it until the world stops.
func (w *World) WriteKubeconfig(path string) error {
	if err := os.WriteFile(path, w.kubeconfig, 0o600); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	return nil
}
