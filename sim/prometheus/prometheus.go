// Package prometheus runs the real Prometheus beside a world. As in production, it scrapes Sickbay over TLS with a token, and
// evaluates rules.
package prometheus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sickbay-dev/sickbay/sim/process"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// Options say how to run Prometheus.
type Options struct {
	// Binary is the path of Prometheus, which make test-operate builds.
	Binary string
	// Dir is an empty directory for its configuration and its data.
	Dir string
	// Rules is the content of a rule file.
	Rules []byte
	// Targets are the addresses, host:port, at which Sickbay serves its metrics; Token has the right to read them.
	Targets []string
	Token   string
	// Log receives the output of Prometheus.
	Log io.Writer
}

// Process is a running Prometheus.
type Process struct {
	*process.Process
	url string
}

// config configures short periods, so that tests see changes within seconds.
const config = `
global:
  scrape_interval: 1s
  scrape_timeout: 1s
  evaluation_interval: 1s
rule_files: [rules.yaml]
scrape_configs:
- job_name: sickbay
  scheme: https
  honor_labels: true
  tls_config:
    insecure_skip_verify: true
  authorization:
    credentials_file: token
  static_configs:
  - targets: ["%s"]
`

// Start runs Prometheus and returns when it is ready.
func Start(ctx context.Context, o Options) (*Process, error) {
	address, err := sickbay.FreeAddress()
	if err != nil {
		return nil, err
	}
	for name, content := range map[string]string{
		"prometheus.yaml": fmt.Sprintf(config, strings.Join(o.Targets, `", "`)), "rules.yaml": string(o.Rules), "token": o.Token,
	} {
		if err := os.WriteFile(filepath.Join(o.Dir, name), []byte(content), 0o600); err != nil {
			return nil, fmt.Errorf("configuring Prometheus: %w", err)
		}
	}
	command := exec.Command(o.Binary, "--config.file="+filepath.Join(o.Dir, "prometheus.yaml"),
		"--storage.tsdb.path="+filepath.Join(o.Dir, "data"), "--web.listen-address="+address)
	url := "http://" + address
	p, err := process.Start(ctx, command, "Prometheus", url+"/-/ready", o.Log, syscall.SIGTERM)
	if err != nil {
		return nil, err
	}
	return &Process{p, url}, nil
}

// get returns the body of a successful answer.
func (p *Process) get(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("asking Prometheus: %w", err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking Prometheus: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		defer func() { _ = answer.Body.Close() }()
		why, err := io.ReadAll(answer.Body)
		return nil, errors.Join(fmt.Errorf("asking Prometheus for %s: %s: %s", path, answer.Status, why), err)
	}
	return answer.Body, nil
}
