// Package bmo runs the real operator of bare-metal hosts without hardware: baremetal-operator in its test mode.
//
// In that mode all hosts share one power state, so each host needs its own process and its own namespace. A process that starts
// believes that its host is off. Switching takes no time and never fails.
package bmo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Options say how to run the operator.
type Options struct {
	// Binary is the path of the operator, which make test-bmo builds.
	Binary string
	// Kubeconfig is the path of a kubeconfig; see WriteKubeconfig.
	Kubeconfig string
	// Namespace is the namespace whose host the operator manages.
	Namespace string
	// Log receives the operator's output.
	Log io.Writer
}

// Process is a running operator.
type Process struct {
	command *exec.Cmd
	// exited is closed when the process has ended; err is then its error.
	exited chan struct{}
	err    error
}

// Start runs the operator and returns when it works.
func Start(ctx context.Context, o Options) (*Process, error) {
	probe := ownAddress()
	p := &Process{exited: make(chan struct{}), command: exec.Command(o.Binary, "-test-mode",
		"-webhook-port=0", "-metrics-addr=0", "-health-addr="+probe, "-namespace="+o.Namespace, "-kubeconfig="+o.Kubeconfig)}
	p.command.Stdout, p.command.Stderr = o.Log, o.Log
	// It must not outlive this process, however this process ends.
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("starting the baremetal-operator: %w", err)
	}
	go func() {
		p.err = p.command.Wait()
		close(p.exited)
	}()
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		return p.ready(ctx, "http://"+probe+"/readyz")
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for the baremetal-operator: %w", err), p.Kill())
	}
	return p, nil
}

// Kill kills the operator without letting it clean up.
func (p *Process) Kill() error {
	if err := p.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("ending the baremetal-operator: %w", err)
	}
	<-p.exited
	return nil
}

func (p *Process) ready(ctx context.Context, url string) (bool, error) {
	select {
	case <-p.exited:
		return false, fmt.Errorf("it ended: %w", p.err)
	default:
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false, fmt.Errorf("making the probe: %w", err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, nil //nolint:nilerr // it does not listen yet
	}
	defer func() { _ = answer.Body.Close() }()
	return answer.StatusCode == http.StatusOK, nil
}

// WriteKubeconfig writes a configuration to a file that only this user can read.
func WriteKubeconfig(path string, cfg *rest.Config) error {
	const name = "test"
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters[name] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthorityData: cfg.CAData}
	kubeconfig.AuthInfos[name] = &clientcmdapi.AuthInfo{
		Token: cfg.BearerToken, ClientCertificateData: cfg.CertData, ClientKeyData: cfg.KeyData,
	}
	kubeconfig.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	kubeconfig.CurrentContext = name
	if err := clientcmd.WriteToFile(*kubeconfig, path); err != nil {
		return fmt.Errorf("writing a kubeconfig: %w", err)
	}
	return nil
}

// started counts the operators of this process.
var started atomic.Uint32

// ownAddress returns an address that nobody else listens at. A free port may be taken by another connection before the operator
// listens there. But on Linux all of 127.0.0.0/8 is this machine, so each operator gets its own address.
func ownAddress() string {
	pid, n := os.Getpid(), started.Add(1)
	return fmt.Sprintf("127.%d.%d.%d:9440", 1+(pid>>8)%254, pid%256, 1+n%254)
}
