package compat_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	theirs "github.com/gardener/gardener/extensions/pkg/controller/healthcheck"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// crowd is how many shoots are checked at once.
const crowd = 10

// shoots are API servers, one for each shoot. Each records requests about another shoot.
type shoots struct {
	asked, wrong atomic.Int64
}

// serve gives a shoot its API server: that of the tests, at its own address.
func (s *shoots) serve(t *testing.T, e *env.Env, namespace string) {
	t.Helper()
	target, err := url.Parse(e.Config.Host)
	must(t, err)
	transport, err := rest.TransportFor(e.Config)
	must(t, err)
	quiet := func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	proxy := &httputil.ReverseProxy{Transport: transport, ErrorHandler: quiet, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/configmaps") {
			s.asked.Add(1)
			if !strings.Contains(r.URL.Path, "/namespaces/"+namespace+"/") {
				s.wrong.Add(1)
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	kubeconfig, err := clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"it": {Server: server.URL}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"me": {}},
		Contexts:       map[string]*clientcmdapi.Context{"it": {Cluster: "it", AuthInfo: "me"}},
		CurrentContext: "it",
	})
	must(t, err)
	must(t, e.Client.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "gardener"},
		Data:       map[string][]byte{"kubeconfig": kubeconfig},
	}))
}

// meeting is a check that waits until one check for each shoot is running, and then reads
// from the shoot. So if they share something, the test always shows it.
type meeting struct {
	target  client.Client
	present *sync.WaitGroup
	first   *sync.Map
}

func (m *meeting) Check(ctx context.Context, request types.NamespacedName) (*theirs.SingleCheckResult, error) {
	if _, again := m.first.LoadOrStore(request, true); !again {
		m.present.Done()
	}
	m.present.Wait()
	if err := m.target.List(ctx, &corev1.ConfigMapList{}, client.InNamespace(request.Namespace)); err != nil {
		return nil, err
	}
	return &theirs.SingleCheckResult{Status: gardencorev1beta1.ConditionTrue}, nil
}

func (m *meeting) InjectTargetClient(c client.Client)    { m.target = c }
func (m *meeting) SetLoggerSuffix(provider, kind string) {}

// newMeeting returns a function that makes checks that meet.
func newMeeting() func() *meeting {
	present, first := &sync.WaitGroup{}, &sync.Map{}
	present.Add(crowd)
	return func() *meeting { return &meeting{present: present, first: first} }
}

// TestWrongCluster is a test that Gardener's library fails since 1.133: when it checks
// several shoots at once, it asks the API server of one shoot about another. Ours runs the
// same check, made for each run, and does not.
func TestWrongCluster(t *testing.T) {
	options := controller.Options{MaxConcurrentReconciles: crowd}
	libraries := map[string]struct {
		register func(ctrl.Manager, string) error
		healthy  bool
	}{
		original: {func(mgr ctrl.Manager, extensionType string) error {
			opts := theirs.DefaultAddArgs{Controller: options}
			opts.HealthCheckConfig.SyncPeriod = metav1.Duration{Duration: period}
			return theirs.DefaultRegistration(extensionType, workerKind, newWorkers, newWorker, mgr, opts, nil,
				[]theirs.ConditionTypeToHealthCheck{{ConditionType: string(everyNodeReady), HealthCheck: newMeeting()()}}, nil)
		}, false},
		ours: {func(mgr ctrl.Manager, extensionType string) error {
			opts := gardener.DefaultAddArgs{Controller: options}
			opts.HealthCheckConfig.SyncPeriod = metav1.Duration{Duration: period}
			return gardener.DefaultRegistration(extensionType, workerKind, newWorkers, newWorker, mgr, opts, nil,
				[]gardener.ConditionTypeToHealthCheck{{ConditionType: string(everyNodeReady), HealthCheck: gardener.Of(newMeeting())}}, nil)
		}, true},
	}
	for library, l := range libraries {
		t.Run(library, func(t *testing.T) {
			if library == original && raceDetector {
				t.Skip("the race detector would end the tests, and be right")
			}
			g, e, s := NewWithT(t), env.Get(t), &shoots{}
			for range crowd {
				namespace := e.Namespace(t)
				newCluster(t, e, namespace, false)
				s.serve(t, e, namespace)
				must(t, e.Client.Create(t.Context(), workerOf(namespace, library, "-concurrent")))
			}
			e.Manager(t, env.ManagerOptions{Setup: func(mgr ctrl.Manager) error { return l.register(mgr, library+"-concurrent") }})
			g.Eventually(s.asked.Load, patience).Should(BeNumerically(">=", crowd))
			if l.healthy {
				g.Expect(s.wrong.Load()).To(BeZero(), "questions about other shoots")
				return
			}
			t.Logf("%d of %d questions were about other shoots", s.wrong.Load(), s.asked.Load())
			g.Expect(s.wrong.Load()).NotTo(BeZero(), "if this fails, the library was mended: say so in the documentation")
		})
	}
}
