package e2e_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// scraper reads the metrics of a Sickbay over TLS.
type scraper struct {
	address string
	client  *http.Client
	token   string
}

// newScraper returns a scraper with the right to read metrics, for a free address.
func newScraper(t *testing.T, name string) *scraper {
	t.Helper()
	g := NewWithT(t)
	address, err := sickbay.FreeAddress()
	g.Expect(err).NotTo(HaveOccurred())
	// The server's certificate is self-signed.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	return &scraper{
		address: address,
		client:  &http.Client{Timeout: time.Minute, Transport: transport},
		token:   reader(t, name),
	}
}

// reader creates a ServiceAccount with the right to read metrics, and returns its token.
func reader(t *testing.T, name string) string {
	t.Helper()
	g, c := NewWithT(t), harness.World.Client()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name}}
	g.Expect(c.Create(t.Context(), account)).To(Succeed())
	g.Expect(c.Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules:      []rbacv1.PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}}},
	})).To(Succeed())
	g.Expect(c.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: name}},
	})).To(Succeed())
	return newToken(t, account)
}

func newToken(t *testing.T, account *corev1.ServiceAccount) string {
	t.Helper()
	request := &authenticationv1.TokenRequest{}
	NewWithT(t).Expect(harness.World.Client().SubResource("token").Create(t.Context(), account, request)).To(Succeed())
	return request.Status.Token
}

// get requests the metrics with a token, or without one if it is empty.
func (s *scraper) get(ctx context.Context, token string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+s.address+"/metrics", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return s.client.Do(req)
}

// scrape returns the samples whose names have a prefix, by name and labels.
func (s *scraper) scrape(t *testing.T, prefix string) map[string]float64 {
	t.Helper()
	g := NewWithT(t)
	answer, err := s.get(t.Context(), s.token)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = answer.Body.Close() }()
	g.Expect(answer.StatusCode).To(Equal(http.StatusOK))
	return samples(t, answer.Body, prefix)
}

func samples(t *testing.T, body io.Reader, prefix string) map[string]float64 {
	t.Helper()
	found := map[string]float64{}
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, prefix) {
			continue
		}
		i := strings.LastIndex(line, " ")
		value, err := strconv.ParseFloat(line[i+1:], 64)
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), line)
		found[line[:i]] = value
	}
	NewWithT(t).Expect(lines.Err()).NotTo(HaveOccurred())
	return found
}

func TestMetricsAreForThoseWhoMayReadThem(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	newNamespace(t, "metrics")
	s := newScraper(t, "metrics")
	harness.Sickbay(t, "metrics", "--metrics-bind-address="+s.address)
	nobody := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "metrics", Name: "nobody"}}
	g.Expect(harness.World.Client().Create(t.Context(), nobody)).To(Succeed())

	for token, want := range map[string]int{
		"": http.StatusUnauthorized,
		// controller-runtime answers this; what matters is that the answer has no metrics.
		"forged":            http.StatusInternalServerError,
		newToken(t, nobody): http.StatusForbidden,
		s.token:             http.StatusOK,
	} {
		g.Eventually(func() (int, error) {
			answer, err := s.get(t.Context(), token)
			if err != nil {
				return 0, err
			}
			return answer.StatusCode, answer.Body.Close()
		}).Should(Equal(want))
	}
	plain, err := http.Get("http://" + s.address + "/metrics")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = plain.Body.Close() }()
	g.Expect(plain.StatusCode).To(Equal(http.StatusBadRequest), "without TLS nobody gets anything")
}
