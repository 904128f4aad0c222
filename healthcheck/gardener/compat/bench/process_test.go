package bench

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"sync/atomic"

	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener/gardener/pkg/apis/resources/v1alpha1"
	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// process runs a library. The measuring process calls its methods through standard input
// and output.
type process struct {
	library          string
	mgr              manager.Manager
	requests, writes atomic.Int64
}

// Server is how to reach the API server.
type Server struct {
	Host string
	TLS  rest.TLSClientConfig
}

// serve ends when its input is closed.
func serve(library string) error {
	ctrl.SetLogger(logr.Discard())
	server := rpc.NewServer()
	if err := server.RegisterName("Process", &process{library: library}); err != nil {
		return err
	}
	server.ServeCodec(jsonrpc.NewServerCodec(pipe{os.Stdin, os.Stdout}))
	return nil
}

// pipe combines two ends into one connection.
type pipe struct {
	io.ReadCloser
	io.WriteCloser
}

// Close closes both ends.
func (p pipe) Close() error { return errors.Join(p.ReadCloser.Close(), p.WriteCloser.Close()) }

// Fill starts a manager without a controller, whose cache holds everything that the checks
// read. It is the same for both libraries.
func (p *process) Fill(server Server, _ *struct{}) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, extensionsv1alpha1.AddToScheme, resourcesv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config := &rest.Config{Host: server.Host, TLSClientConfig: server.TLS, QPS: -1}
	config.Wrap(p.counted)
	mgr, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	ctx := context.Background()
	for _, obj := range []client.Object{
		&extensionsv1alpha1.Worker{}, &extensionsv1alpha1.Cluster{},
		&appsv1.Deployment{}, &appsv1.StatefulSet{}, &resourcesv1alpha1.ManagedResource{},
	} {
		if _, err := mgr.GetCache().GetInformer(ctx, obj); err != nil {
			return err
		}
	}
	go func() {
		if err := mgr.Start(ctx); err != nil {
			panic(err)
		}
	}()
	p.mgr = mgr
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		return errors.New("the cache was not filled")
	}
	return nil
}

// Start adds the library to the manager.
func (p *process) Start(struct{}, *struct{}) error { return registrations[p.library](p.mgr) }

// counted counts the requests to the API server. A watch counts when it starts.
func (p *process) counted(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		p.requests.Add(1)
		if r.Method != http.MethodGet {
			p.writes.Add(1)
		}
		return next.RoundTrip(r)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
