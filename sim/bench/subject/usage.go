package subject

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/procfs"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Usage is what a process has used since its start.
type Usage struct {
	CPU time.Duration
	// Allocated is in bytes.
	Allocated float64
	// Requests counts the answered requests by method. A watch counts when it begins.
	Requests map[string]float64
	Stored
}

// Stored is how many objects exist that subjects may have created. Nobody else creates any.
type Stored struct {
	Events, Records float64
}

// Created returns how many objects were created.
func (s Stored) Created() float64 { return s.Events + s.Records }

// Writes returns how many requests created or changed an object, without events.
func (u Usage) Writes() float64 {
	return u.Requests["PUT"] + u.Requests["PATCH"] + u.Requests["DELETE"] + u.Records
}

// All returns the number of all requests.
func (u Usage) All() float64 {
	sum := 0.0
	for n := range maps.Values(u.Requests) {
		sum += n
	}
	return sum
}

// Since returns what was used since an earlier measurement.
func (u Usage) Since(before Usage) Usage {
	since := Usage{CPU: u.CPU - before.CPU, Allocated: u.Allocated - before.Allocated, Requests: map[string]float64{}}
	since.Events, since.Records = u.Events-before.Events, u.Records-before.Records
	for method, n := range u.Requests {
		since.Requests[method] = n - before.Requests[method]
	}
	return since
}

// Without returns the usage without a number of times the requests of another one.
func (u Usage) Without(other Usage, times float64) Usage {
	u.Requests = maps.Clone(u.Requests)
	for method, n := range other.Requests {
		u.Requests[method] = max(0, u.Requests[method]-n*times)
	}
	return u
}

// Metrics returns all metrics of the process, by name.
func (p *Process) Metrics(ctx context.Context) (map[string]*dto.MetricFamily, error) {
	families, err := p.metrics.scrape(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the metrics of %s: %w", p.Subject, err)
	}
	return families, nil
}

// Usage gets the usage from the process and from the kernel.
func (p *Process) Usage(ctx context.Context) (Usage, error) {
	families, err := p.Metrics(ctx)
	if err != nil {
		return Usage{}, err
	}
	u := Usage{Requests: map[string]float64{}}
	for _, m := range families["go_memstats_alloc_bytes_total"].GetMetric() {
		u.Allocated = m.GetCounter().GetValue()
	}
	for _, m := range families["rest_client_requests_total"].GetMetric() {
		u.Requests[label(m, "method")] += m.GetCounter().GetValue()
	}
	if u.Stored, err = p.stored(ctx); err != nil {
		return Usage{}, err
	}
	u.CPU, err = cpu(p.PID())
	return u, err
}

// count returns a function that counts what subjects create. POST requests do not show that: when somebody reads its
// metrics, the process asks the API server who it is, and that is a POST, too.
func count(c client.Reader) func(context.Context) (Stored, error) {
	return func(ctx context.Context) (s Stored, err error) {
		if s.Events, err = objects(ctx, c, eventsv1.SchemeGroupVersion.WithKind("EventList")); err != nil {
			return s, err
		}
		s.Records, err = objects(ctx, c, v1alpha1.GroupVersion.WithKind("MachineRemediationList"))
		return s, err
	}
}

func objects(ctx context.Context, c client.Reader, kind schema.GroupVersionKind) (float64, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind)
	if err := c.List(ctx, list, client.Limit(1)); err != nil {
		return 0, fmt.Errorf("counting %s: %w", kind.Kind, err)
	}
	return float64(len(list.Items)) + float64(ptr.Deref(list.RemainingItemCount, 0)), nil
}

func label(m *dto.Metric, name string) string {
	i := slices.IndexFunc(m.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName() == name })
	if i < 0 {
		return ""
	}
	return m.GetLabel()[i].GetValue()
}

// cpu returns the processor time of a process, in user and kernel mode.
func cpu(pid int) (time.Duration, error) {
	stat, err := stat(pid)
	return time.Duration(stat.CPUTime() * float64(time.Second)), err
}

// Resident returns the memory of a process in bytes.
func Resident(pid int) (float64, error) {
	stat, err := stat(pid)
	return float64(stat.ResidentMemory()), err
}

// stat returns what the kernel says about a process.
func stat(pid int) (procfs.ProcStat, error) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return procfs.ProcStat{}, fmt.Errorf("reading what process %d uses: %w", pid, err)
	}
	return process.Stat()
}

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
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	answer, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer is %s", answer.Status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(answer.Body)
}

// tokenLife is the lifetime of a token, in seconds.
const tokenLife = int64(24 * time.Hour / time.Second)

// metricsReader creates a ServiceAccount that may read metrics, and returns its token.
func metricsReader(ctx context.Context, c client.Client) (string, error) {
	meta := metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "metrics-reader"}
	account := &corev1.ServiceAccount{ObjectMeta: meta}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: meta.Name},
		// A role that every API server has.
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:monitoring"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: meta.Namespace, Name: meta.Name}},
	}
	for _, object := range []client.Object{account, binding} {
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
