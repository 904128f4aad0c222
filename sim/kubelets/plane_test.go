package kubelets_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/process"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// monitorGrace is after how long without a sign of life the node lifecycle controller calls a Node Unknown. Kubernetes has 50 s. A kubelet here gives
// a sign every 2 s, a hollow one every 10 s.
const monitorGrace = 20 * time.Second

// unreachable is an address at which nobody listens.
const unreachable = "https://127.0.0.1:1"

// plane is the control plane of the workload clusters: kube-apiserver, etcd and kube-controller-manager.
type plane struct {
	*world.World

	kubeconfig []byte
	// offset has the endpoints of kubelets whose clocks are wrong, by how far they are ahead.
	offset map[string]*endpoint
}

func newPlane(t *testing.T, programs, dir string) *plane {
	t.Helper()
	g := NewWithT(t)
	log, err := os.Create(filepath.Join(dir, "plane.log"))
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = log.Close() })
	w, err := world.Start(t.Context(), world.Options{Bare: true, Log: log})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { NewWithT(t).Expect(w.Stop(context.WithoutCancel(t.Context()))).To(Succeed()) })
	p := &plane{World: w, offset: map[string]*endpoint{}}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	g.Expect(w.WriteKubeconfig(kubeconfig)).To(Succeed())
	p.kubeconfig, err = os.ReadFile(kubeconfig)
	g.Expect(err).NotTo(HaveOccurred())
	for _, offset := range []string{ahead, behind} {
		p.offset[offset] = p.endpoint(t, offset)
	}
	manager, err := process.Launch(exec.Command(filepath.Join(programs, "kube-controller-manager"), "--kubeconfig="+kubeconfig,
		"--controllers=node-lifecycle-controller", "--node-monitor-period=1s", "--node-monitor-grace-period="+monitorGrace.String(),
		"--leader-elect=false", "--secure-port=0"), "kube-controller-manager", log)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = manager.Kill() })
	return p
}

// endpoint returns another way to the API server. Times on the way are shifted by a Go duration.
func (p *plane) endpoint(t *testing.T, offset string) *endpoint {
	t.Helper()
	g := NewWithT(t)
	shift, err := time.ParseDuration(offset)
	g.Expect(err).NotTo(HaveOccurred())
	e, err := newEndpoint(p.Config(), shift)
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = e.Listener.Close(); e.CloseClientConnections() }) // Close would wait for watches
	return e
}

// accessFor returns a kubeconfig for a kubelet.
func (p *plane) accessFor(k kit, isolated bool) ([]byte, error) {
	if e := p.offset[k.ClockOffset]; e != nil {
		return e.kubeconfig()
	}
	if !isolated {
		return p.kubeconfig, nil
	}
	config, err := clientcmd.Load(p.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	for _, c := range config.Clusters {
		c.Server = unreachable
	}
	return clientcmd.Write(*config)
}

// startProvider starts the infrastructure provider in the management cluster.
func startProvider(t *testing.T, management client.Client, p *plane, programs, dir string) *provider {
	t.Helper()
	all := &provider{client: management, programs: programs, dir: dir, plane: p, machines: map[string]*machine{}, flaws: map[string]flaw{}}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		all.run(ctx, func(err error) { t.Logf("the provider: %v", err) })
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		NewWithT(t).Expect(os.RemoveAll(filepath.Join(smallDiskRoot, filepath.Base(dir)))).To(Succeed())
	})
	return all
}
