package report_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/report"
)

// The worst subject comes first. A subject that cannot be read does not hide the others.
func ExampleSummarize() {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ready := func(status healthcheck.Status, message string) []healthcheck.Condition {
		return []healthcheck.Condition{{Type: "Ready", Status: status, Reason: "Checked", Message: message}}
	}
	overview := report.Summarize(at,
		report.Subject{Name: "network", Err: errors.New("no route to host")},
		report.Subject{Name: "worker", Conditions: ready(healthcheck.False, "2 of 3 nodes are ready")},
		report.Subject{Name: "dns", Conditions: ready(healthcheck.True, ""), ConfirmedAt: at.Add(-time.Hour), StaleAfter: 5 * time.Minute},
	)
	fmt.Println(overview.Status, overview.Message)
	for _, subject := range overview.Subjects {
		fmt.Println(subject.Name, subject.Status, subject.Findings[0].Reason)
	}
	// Output:
	// False worker Ready: 2 of 3 nodes are ready
	// worker False Checked
	// dns Unknown Stale
	// network Unknown Unreadable
}

// All objects of a kind, as an HTTP health endpoint. If you have a Store, its method Get
// returns the conditions.
func ExampleObjects() {
	pods := report.Objects[*corev1.Pod]{
		Reader:  fake.NewFakeClient(), // mgr.GetClient()
		NewList: func() client.ObjectList { return &corev1.PodList{} },
		Conditions: func(pod *corev1.Pod) []healthcheck.Condition {
			return []healthcheck.Condition{{Type: "Running", Status: healthcheck.True}}
		},
	}
	handler := &report.Handler{Overview: pods.Overview} // mgr.AddMetricsServerExtraHandler("/health/pods", handler)

	response := httptest.NewRecorder()
	handler.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/", nil))
	fmt.Println(response.Code)
	fmt.Print(response.Body)
	// Output:
	// 503
	// {
	//   "status": "Unknown",
	//   "reason": "NoSubjects",
	//   "message": "there is nothing to report on",
	//   "subjects": []
	// }
}
