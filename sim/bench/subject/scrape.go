package subject

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// scraper reads metrics over TLS, with a token.
type scraper struct {
	url, token string
	client     *http.Client
}

func newScraper(address, token string) scraper {
	// The certificates of subjects are self-signed.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return scraper{url: "https://" + address + "/metrics", token: token, client: &http.Client{Transport: transport}}
}

func (s scraper) scrape(ctx context.Context) (map[string]*dto.MetricFamily, error) {
	body, err := get(ctx, s.client, s.url, s.token)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(body)
}

// get returns the body of an answer.
func get(ctx context.Context, by *http.Client, url, token string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	answer, err := by.Do(req)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, fmt.Errorf("the answer is %s", answer.Status)
	}
	return answer.Body, nil
}

// Profile writes a profile of the process to a file: "profile" is the processor over a time, "allocs" all allocations
// since the start, "mutex" all waits for locks.
func (p *Process) Profile(ctx context.Context, kind, file string, over time.Duration) error {
	if err := p.profile(ctx, kind, file, over); err != nil {
		return fmt.Errorf("writing the profile %s of %s: %w", kind, p.Subject, err)
	}
	return nil
}

func (p *Process) profile(ctx context.Context, kind, file string, over time.Duration) error {
	url := "http://" + p.pprof + "/debug/pprof/" + kind
	if over > 0 {
		url = fmt.Sprintf("%s?seconds=%.0f", url, over.Seconds())
	}
	body, err := get(ctx, http.DefaultClient, url, "")
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, body); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}

// tokenLife is the lifetime of a token, in seconds.
const tokenLife = int64(24 * time.Hour / time.Second)

// metricsReader creates a ServiceAccount that may read metrics, and returns its token.
func metricsReader(ctx context.Context, c client.Client) (string, error) {
	meta := metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "metrics-reader"}
	account := &corev1.ServiceAccount{ObjectMeta: meta}
	objects := []client.Object{
		account,
		&rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: meta.Name},
			Rules:      []rbacv1.PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}}},
		},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: meta.Name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: meta.Namespace, Name: meta.Name}},
		},
	}
	for _, object := range objects {
		if err := c.Create(ctx, object); err != nil {
			return "", fmt.Errorf("making an account that may read metrics: %w", err)
		}
	}
	// Longer than the default of an hour, because some runs take long.
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(tokenLife)}}
	if err := c.SubResource("token").Create(ctx, account, request); err != nil {
		return "", fmt.Errorf("making a token to read metrics: %w", err)
	}
	return request.Status.Token, nil
}
