package health_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	databasev1 "github.com/sickbay-dev/sickbay/examples/database/api/v1"
	"github.com/sickbay-dev/sickbay/examples/database/health"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// books returns a Database with the given URL.
func books(url string) *databasev1.Database {
	return &databasev1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "books", UID: "1", Generation: 1},
		Spec:       databasev1.DatabaseSpec{Version: "17.1", URL: url},
		Status:     databasev1.DatabaseStatus{Version: "17.1"},
	}
}

// kitFor returns a kit in which the backup of a Database is in the same memory as
// everything else.
func kitFor(t *testing.T, objects ...client.Object) *healthchecktest.Kit[*databasev1.Database] {
	t.Helper()
	var kit *healthchecktest.Kit[*databasev1.Database]
	memory := healthcheck.TargetsFunc[*databasev1.Database](func(context.Context, *databasev1.Database) (client.Reader, error) {
		return kit.Client, nil
	})
	kit = healthchecktest.New(t, health.Checks(memory, nil), objects...)
	return kit
}

// answers starts a server whose status can be changed.
func answers(t *testing.T) (url string, status *int) {
	t.Helper()
	code := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
	t.Cleanup(server.Close)
	return server.URL, &code
}

func TestHealthy(t *testing.T) {
	url, _ := answers(t)
	database := books(url)
	kit := kitFor(t, database, replicas(1), backup(1), certificate(t, healthchecktest.Start.AddDate(0, 6, 0)))
	kit.Run()
	for conditionType, want := range map[string]healthcheck.Status{
		"Ready": healthcheck.True, "Available": healthcheck.True, "Upgraded": healthcheck.True, "BackedUp": healthcheck.True,
		"Degraded": healthcheck.False, // the healthy state of a negative condition
	} {
		if got := kit.Condition(database, conditionType); got.Status != want {
			t.Errorf("%s is %+v", conditionType, got)
		}
	}
	kit.Sound()
}

func TestUpgradeTakesTooLong(t *testing.T) {
	url, _ := answers(t)
	database := books(url)
	kit := kitFor(t, database, replicas(1), backup(1), certificate(t, healthchecktest.Start.AddDate(0, 6, 0)))
	database.Spec.Version = "18.0"
	kit.Put(database)
	kit.Run()
	if got := kit.Condition(database, "Ready"); got.Status != healthcheck.Progressing || got.Reason != "Upgrading" {
		t.Errorf("at first Ready is %+v", got)
	}
	kit.Advance(10 * time.Minute)
	if got := kit.Condition(database, "Upgraded"); got.Status != healthcheck.False || got.Reason != healthcheck.ReasonDeadlineExceeded {
		t.Errorf("in the end Upgraded is %+v", got)
	}
	if got := kit.Condition(database, "Ready"); got.Status != healthcheck.False || got.Message != `Upgraded: Version 18.0 is wanted, and 17.1 runs` {
		t.Errorf("in the end Ready is %+v", got)
	}
}

func TestOneLostAnswerIsNoOutage(t *testing.T) {
	url, status := answers(t)
	database := books(url)
	kit := kitFor(t, database, replicas(1), backup(1), certificate(t, healthchecktest.Start.AddDate(0, 6, 0)))
	kit.Run()
	*status = http.StatusBadGateway
	kit.Advance(30 * time.Second)
	*status = http.StatusOK
	kit.Advance(5 * time.Minute)
	for _, transition := range kit.Transitions() {
		if transition.To.Type == "Available" && transition.To.Status == healthcheck.False {
			t.Errorf("it was an outage: %+v", transition.To)
		}
	}
	*status = http.StatusBadGateway
	kit.Advance(5 * time.Minute)
	if got := kit.Condition(database, "Available"); got.Status != healthcheck.False {
		t.Errorf("after five minutes Available is %+v", got)
	}
}

func TestCertificateExpires(t *testing.T) {
	database := books("")
	kit := kitFor(t, database, replicas(1), backup(1), certificate(t, healthchecktest.Start.Add(12*time.Hour)))
	kit.Run()
	kit.Advance(13 * time.Hour)
	degraded, ready := kit.Condition(database, "Degraded"), kit.Condition(database, "Ready")
	if degraded.Status != healthcheck.True || ready.Status != healthcheck.False || ready.Reason != degraded.Reason {
		t.Errorf("Degraded is %+v, and Ready %+v", degraded, ready)
	}
}

func TestPausedIsLeftAlone(t *testing.T) {
	database := books("")
	database.Spec.Paused = true
	kit := kitFor(t, database)
	kit.Run()
	if got := kit.Conditions(database); len(got) > 0 {
		t.Errorf("it has %+v", got)
	}
	database.Spec.Paused = false
	kit.Put(database)
	kit.Run()
	if got := kit.Condition(database, "Ready"); got.Status != healthcheck.False {
		t.Errorf("then Ready is %+v", got)
	}
}

func replicas(ready int32) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "books", Generation: 1},
		Spec:       appsv1.StatefulSetSpec{Replicas: new(int32(1))},
		Status:     appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: 1, CurrentReplicas: 1, ReadyReplicas: ready},
	}
}

func backup(available int32) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "books-backup", Generation: 1},
		Status: appsv1.DeploymentStatus{
			ObservedGeneration: 1, Replicas: 1, ReadyReplicas: available, AvailableReplicas: available,
			Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: "True"}},
		},
	}
}
