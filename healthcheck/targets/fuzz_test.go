package targets_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// FuzzKubeconfig: any kubeconfig either refers to nothing on this machine, or is refused with one of a few texts, which quote nothing.
func FuzzKubeconfig(f *testing.F) {
	const server = `server: "https://10.0.0.1:6443"`
	f.Add([]byte("s3cret"))
	f.Add(kubeconfig(server, "token: t"))
	f.Add(kubeconfig(server, "tokenFile: /etc/passwd"))
	f.Add(kubeconfig(server+", certificate-authority: /etc/passwd", "token: t"))
	f.Add(kubeconfig(server, "exec: {apiVersion: client.authentication.k8s.io/v1, command: sh}"))
	f.Add(kubeconfig(server+`, proxy-url: "http://a:b@c:%"`, "username: u, password: p"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := targets.ParseKubeconfig(data)
		if err != nil {
			switch said := err.Error(); said {
			case "the secret holds no valid kubeconfig":
			case "the kubeconfig in the secret names a file, which is not allowed":
			case "the kubeconfig in the secret names a command, which is not allowed":
			case "the kubeconfig in the secret names an auth provider, which is not allowed":
			default:
				t.Errorf("says %q", said)
			}
			return
		}
		if cfg.BearerTokenFile != "" || cfg.CertFile != "" || cfg.KeyFile != "" || cfg.CAFile != "" || cfg.ExecProvider != nil || cfg.AuthProvider != nil {
			t.Errorf("it reaches for %+v", cfg)
		}
	})
}
