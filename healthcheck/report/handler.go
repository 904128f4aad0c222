package report

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// defaultHandlerTimeout is the default of Handler.Timeout.
const defaultHandlerTimeout = 5 * time.Second

// Reasons that a Handler sets if it has no valid overview.
const (
	// ReasonOverviewUnavailable means that there is no overview, because of an error, a timeout or a panic.
	ReasonOverviewUnavailable = "OverviewUnavailable"
	// ReasonInvalidOverview means that the status of an overview contradicts its findings, or is undefined.
	ReasonInvalidOverview = "InvalidOverview"
)

// Handler serves an overview as an HTTP health endpoint, in JSON: see Overview for the
// fields.
//
// The code is 200 if the overview is Healthy. Otherwise it is 503: also for Progressing, and if there is no
// overview, because a handler that knows nothing is not healthy. It answers GET and HEAD, and 405 to
// anything else, and forbids caching. The answer names objects and what is wrong with them, so restrict who
// can read it.
//
// It is safe for concurrent use, and must not be copied.
type Handler struct {
	// Overview returns the overview to serve; Objects.Overview is one. There is only one call at a time:
	// concurrent requests share its answer. It should return when ctx ends, and be quick, for example by
	// reading from a cache. While a call continues past its timeout, requests get 503 at once.
	Overview func(ctx context.Context) (Overview, error)
	// Timeout is the timeout of a call. The default is 5 seconds. It should be shorter than that of the
	// client.
	Timeout time.Duration

	calls calls
}

var _ http.Handler = &Handler{}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	}
	overview := h.ask(r.Context())
	code := http.StatusServiceUnavailable
	if overview.Healthy() {
		code = http.StatusOK
	}
	body, err := json.MarshalIndent(overview, "", "  ")
	if err != nil {
		// Only a time whose year does not have four digits gets here.
		http.Error(w, "the overview cannot be written as JSON", http.StatusServiceUnavailable)
		return
	}
	body = append(body, '\n')
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	if r.Method == http.MethodGet {
		// An error means that the client has left, so there is nobody to report it to.
		_, _ = w.Write(body)
	}
}

// ask returns the overview, or one that is Unknown if there is none.
func (h *Handler) ask(ctx context.Context) Overview {
	overview, err := h.calls.join(ctx, cmp.Or(h.Timeout, defaultHandlerTimeout), h.Overview)
	if err != nil {
		return Overview{
			Status: healthcheck.Unknown, Reason: ReasonOverviewUnavailable, Message: err.Error(), Subjects: []SubjectOverview{},
		}
	}
	if overview.Subjects == nil {
		overview.Subjects = []SubjectOverview{}
	}
	if !overview.Status.Valid() || (overview.Status == healthcheck.True && !overview.Healthy()) {
		overview.Status, overview.Reason = healthcheck.Unknown, ReasonInvalidOverview
		overview.Message = "the status of the overview contradicts its findings"
	}
	return overview
}
