package env

import (
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig writes a kubeconfig with a name for its user and a namespace, which may be empty. It returns the path of the file.
func Kubeconfig(t testing.TB, to *rest.Config, user, namespace string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["it"] = &clientcmdapi.Cluster{Server: to.Host, CertificateAuthorityData: to.CAData}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{ClientCertificateData: to.CertData, ClientKeyData: to.KeyData, Token: to.BearerToken}
	config.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: user, Namespace: namespace}
	config.CurrentContext = "it"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}
