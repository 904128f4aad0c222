package chart_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// nodeless does for one Deployment what a cluster with Nodes does: it runs the program once per replica, with the arguments of the
// Deployment and a token of its ServiceAccount, and updates its status.
type nodeless struct {
	binary     string
	deployment client.ObjectKey
	admin      client.Client
	config     *rest.Config
	dir        string
	log        io.Writer

	mu        sync.Mutex
	running   []*sickbay.Process
	dashboard string
}

// run follows the Deployment until ctx ends.
func (n *nodeless) run(ctx context.Context) error {
	defer n.stop()
	var seen int64
	for {
		now := &appsv1.Deployment{}
		err := n.admin.Get(ctx, n.deployment, now)
		switch {
		case ctx.Err() != nil:
			return nil
		case client.IgnoreNotFound(err) != nil:
			return err
		case err != nil:
			n.stop()
			seen = 0
		case now.Generation != seen:
			if err := n.roll(ctx, now); err != nil {
				return err
			}
			seen = now.Generation
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// roll replaces the old replicas with new ones.
func (n *nodeless) roll(ctx context.Context, to *appsv1.Deployment) error {
	n.stop()
	kubeconfig, err := n.kubeconfig(ctx, to)
	if err != nil {
		return err
	}
	for range *to.Spec.Replicas {
		args, err := n.args(to.Spec.Template.Spec.Containers[0].Args)
		if err != nil {
			return err
		}
		process, err := sickbay.Start(ctx, sickbay.Options{Binary: n.binary, Kubeconfig: kubeconfig, Args: args, Log: n.log})
		if err != nil {
			return fmt.Errorf("running a replica with %q: %w", args, err)
		}
		n.mu.Lock()
		n.running = append(n.running, process)
		n.mu.Unlock()
	}
	all := *to.Spec.Replicas
	to.Status = appsv1.DeploymentStatus{
		ObservedGeneration: to.Generation, Replicas: all, UpdatedReplicas: all, ReadyReplicas: all, AvailableReplicas: all,
		Conditions: []appsv1.DeploymentCondition{{
			Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now(), LastUpdateTime: metav1.Now(),
		}},
	}
	return n.admin.Status().Update(ctx, to)
}

// args returns the arguments of the Deployment without addresses, which several processes on one computer cannot share, and without paths
// in a Pod's file system.
func (n *nodeless) args(given []string) ([]string, error) {
	args := []string{"--leader-elect-namespace=" + n.deployment.Namespace}
	for _, arg := range given[1:] {
		name, value, _ := strings.Cut(arg, "=")
		if strings.HasSuffix(name, "-bind-address") && value != "0" {
			address, err := sickbay.FreeAddress()
			if err != nil {
				return nil, err
			}
			arg = name + "=" + address
			if name == "--dashboard-bind-address" {
				n.mu.Lock()
				n.dashboard = address
				n.mu.Unlock()
			}
		}
		args = append(args, arg)
	}
	return args, nil
}

// kubeconfig writes a kubeconfig for the Deployment's ServiceAccount, and returns its path.
func (n *nodeless) kubeconfig(ctx context.Context, of *appsv1.Deployment) (string, error) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Spec.Template.Spec.ServiceAccountName}}
	request := &authenticationv1.TokenRequest{}
	if err := n.admin.SubResource("token").Create(ctx, account, request); err != nil {
		return "", fmt.Errorf("asking for a token: %w", err)
	}
	file := clientcmdapi.NewConfig()
	file.Clusters["it"] = &clientcmdapi.Cluster{Server: n.config.Host, CertificateAuthorityData: n.config.CAData}
	file.AuthInfos["it"] = &clientcmdapi.AuthInfo{Token: request.Status.Token}
	file.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "it"}
	file.CurrentContext = "it"
	path := filepath.Join(n.dir, "kubeconfig")
	return path, clientcmd.WriteToFile(*file, path)
}

func (n *nodeless) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, process := range n.running {
		_ = process.Stop()
	}
	n.running = nil
}

// forward forwards connections to the dashboard of a replica, as kubectl port-forward does.
func (n *nodeless) forward(t *testing.T, listener net.Listener) {
	t.Helper()
	for {
		in, err := listener.Accept()
		if err != nil {
			return
		}
		n.mu.Lock()
		to := n.dashboard
		n.mu.Unlock()
		out, err := net.Dial("tcp", to)
		if err != nil {
			_ = in.Close()
			continue
		}
		go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
		go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
	}
}

// startNodeless runs Sickbay's Deployment until the test ends.
func startNodeless(t *testing.T, binary string) *nodeless {
	t.Helper()
	e := env.Get(t)
	log, err := os.Create(filepath.Join(t.TempDir(), "manager.log"))
	if err != nil {
		t.Fatal(err)
	}
	n := &nodeless{
		binary: binary, deployment: client.ObjectKey{Namespace: systemNamespace, Name: "sickbay"}, admin: e.Client, config: e.Config, dir: t.TempDir(), log: log,
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("running the Deployment: %v", err)
		}
		written, err := os.ReadFile(log.Name())
		if t.Failed() && err == nil {
			lines := strings.Split(string(written), "\n")
			t.Logf("Sickbay's log:\n%s", strings.Join(lines[max(0, len(lines)-60):], "\n"))
		}
	})
	return n
}
