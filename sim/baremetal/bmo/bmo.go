// Package bmo runs the real operator of bare-metal hosts without hardware: baremetal-operator in its test mode.
//
// In that mode all hosts share one power state, so each host needs its own process and its own namespace. A process that starts
// believes that its host is off. Switching takes no time and never fails.
package bmo

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/sickbay-dev/sickbay/sim/process"
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
type Process = process.Process

// Start runs the operator and returns when it works.
func Start(ctx context.Context, o Options) (*Process, error) {
	probe := ownAddress()
	command := exec.Command(o.Binary, "-test-mode",
		"-webhook-port=0", "-metrics-addr=0", "-health-addr="+probe, "-namespace="+o.Namespace, "-kubeconfig="+o.Kubeconfig)
	return process.Start(ctx, command, "the baremetal-operator", "http://"+probe+"/readyz", o.Log, os.Kill)
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
