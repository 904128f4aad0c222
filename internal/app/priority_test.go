package app

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// TestClassesOfRequests: acts go before records, records before verdicts, and verdicts before events. What takes for ever, or must not wait for
// anybody, has no class.
func TestClassesOfRequests(t *testing.T) {
	const (
		none         = -1
		capi         = "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/"
		ours         = "/apis/sickbay.dev/v1alpha1/namespaces/ns/"
		events       = "/apis/events.k8s.io/v1/namespaces/ns/events"
		proxy        = "/k8s/clusters/behind-a-proxy"
		byHealth     = "?fieldManager=" + machinehealth.FieldOwner
		byChecks     = "?fieldManager=" + machinehealthcheck.FieldOwner
		byRemedy     = "?fieldManager=" + remediation.FieldOwner
		byPause      = "?fieldManager=" + upgradepause.FieldOwner
		inVirtual    = "/api/v1/namespaces/host/services/https:virtual:443/proxy"
		get, put     = http.MethodGet, http.MethodPut
		post, patch  = http.MethodPost, http.MethodPatch
		deleteMethod = http.MethodDelete
	)
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{get, capi + "machines?watch=true", none},
		{get, capi + "machines?limit=500", none},
		{get, "/apis/cluster.x-k8s.io/v1beta2/machines?watch=true", none},
		{get, "/api/v1/namespaces/ns", none},
		{get, "/readyz", none},
		{post, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", none},
		{put, "/apis/coordination.k8s.io/v1/namespaces/ns/leases/sickbay", none},
		{get, "/apis/coordination.k8s.io/v1/namespaces/ns/leases/sickbay", none},
		{get, capi + "machines/m", forActs},
		{patch, capi + "machines/m/status" + byRemedy, forActs},
		{deleteMethod, capi + "machines/m", forActs},
		{post, "/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/ns/fixes" + byRemedy, forActs},
		{patch, "/apis/metal3.io/v1alpha1/namespaces/ns/baremetalhosts/h", forActs},
		{put, ours + "machineremediations/r/status" + byRemedy, forActs},
		{patch, ours + "machineremediations/r" + byRemedy, forActs},
		{deleteMethod, ours + "machineremediations/r", forActs},
		{patch, capi + "machinehealthchecks/mhc" + byPause, forActs},
		{patch, "/apis/machine.openshift.io/v1beta1/namespaces/ns/machinehealthchecks/mhc" + byPause, forActs},
		{post, ours + "machineremediations", forRecords},
		{post, ours + "machineremediations" + byChecks, forRecords},
		{patch, capi + "machinehealthchecks/mhc?fieldManager=sickbay-machinehealthcheck-metadata&force=true", forRecords},
		{patch, ours + "machineremediations/r" + byChecks, forRecords},
		{patch, capi + "machinehealthchecks/mhc/status" + byChecks, forRecords},
		{patch, capi + "machines/m/status" + byHealth + "&force=true", forVerdicts},
		{patch, proxy + capi + "machines/m/status" + byHealth, forVerdicts},
		{post, events, forEvents},
		{patch, proxy + events + "/e", forEvents},
		{post, inVirtual + events, forEvents},
		{post, inVirtual + ours + "machineremediations", forRecords},
		{patch, capi + "machines/events/status" + byRemedy, forActs},
	} {
		got, ok := classOf(httptest.NewRequest(test.method, test.path, nil))
		if !ok {
			got = none
		}
		if got != test.want {
			t.Errorf("%s %s is in class %d, want %d", test.method, test.path, got, test.want)
		}
	}
}

// TestVerdictsAloneNeverWait: what the verdicts' own workers write at once begins at once; one more waits.
func TestVerdictsAloneNeverWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 10
		server, start := make(arrivals), time.Now()
		via := byPriority(workers)(server)
		for range workers + 1 {
			req := httptest.NewRequest(http.MethodPatch, "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/machines/m/status?fieldManager="+machinehealth.FieldOwner, nil)
			go func() {
				_, _ = via.RoundTrip(req.WithContext(t.Context())) //nolint:bodyclose // it has none
			}()
		}
		for range workers {
			<-server
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the workers waited for %s", waited)
		}
		<-server
		if time.Since(start) == 0 {
			t.Error("one more request than workers did not wait")
		}
	})
}

// TestEventsThatHang: if somebody's webhook lets all Events hang, few are under way, and verdicts and records begin at once.
func TestEventsThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 10
		server := make(arrivals, 1000)
		via := byPriority(workers)(server)
		send := func(method, path string, many int) {
			for range many {
				req := httptest.NewRequest(method, path, nil)
				go func() {
					_, _ = via.RoundTrip(req.WithContext(t.Context())) //nolint:bodyclose // it has none
				}()
			}
		}
		arrived := func() (many int) {
			synctest.Wait()
			for range len(server) {
				<-server
				many++
			}
			return many
		}
		send(http.MethodPost, "/apis/events.k8s.io/v1/namespaces/ns/events", 500)
		<-time.After(30 * time.Second)
		if got := arrived(); got > workers/4 {
			t.Errorf("%d events hang at once, want at most %d", got, workers/4)
		}
		send(http.MethodPost, "/apis/sickbay.dev/v1alpha1/namespaces/ns/machineremediations", 1)
		if got := arrived(); got != 1 {
			t.Error("a record waits for events")
		}
		send(http.MethodPatch, "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/machines/m/status?fieldManager="+machinehealth.FieldOwner, workers-1)
		if got := arrived(); got != workers-1 {
			t.Errorf("%d verdicts have begun, want %d", got, workers-1)
		}
	})
}

// arrivals is a server that never answers.
type arrivals chan struct{}

// RoundTrip implements http.RoundTripper.
func (a arrivals) RoundTrip(req *http.Request) (*http.Response, error) {
	a <- struct{}{}
	<-req.Context().Done()
	return nil, req.Context().Err()
}
