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

// defaultHandlerTimeout is how long a Handler waits for its overview if it does not
// say.
const defaultHandlerTimeout = 5 * time.Second

// Reasons that a Handler gives if there is nothing to be served.
const (
	// ReasonOverviewUnavailable is given when there is no overview: an error, a timeout or
	// a panic.
	ReasonOverviewUnavailable = "OverviewUnavailable"
	// ReasonInvalidOverview is given when an overview says True, and its findings do not.
	ReasonInvalidOverview = "InvalidOverview"
)

// Handler serves an overview as an HTTP health endpoint, in JSON: see Overview for the
// fields.
//
// The code is 200 if the overview is Healthy, and 503 if not, which Progressing is not
// yet, or if there is none: a handler that knows nothing is not healthy. It answers GET and HEAD, and 405 to
// anything else, and asks not to be cached. What it serves names objects and what is
// wrong with them; it is for those who may know.
//
// It is safe for concurrent use, and must not be copied.
type Handler struct {
	// Overview returns what is served, such as report.Objects.Overview. It is called once
	// at a time: requests that come meanwhile share its answer. It should stop when ctx
	// ends, and be quick, which a cache is. While a call goes on past its timeout,
	// requests are answered with 503 at once.
	Overview func(ctx context.Context) (Overview, error)
	// Timeout bounds a call. The default is 5 seconds. It should be shorter
	// than the timeout of the client.
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
		// Only a time outside of four-digit years gets here.
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

// ask gets the overview, and makes one that is Unknown if there is none.
func (h *Handler) ask(ctx context.Context) Overview {
	overview, err := h.calls.join(ctx, cmp.Or(h.Timeout, defaultHandlerTimeout), h.Overview)
	if err != nil {
		return Overview{
			Status: healthcheck.Unknown, Reason: ReasonOverviewUnavailable, Message: err.Error(), Sources: []SourceOverview{},
		}
	}
	if overview.Sources == nil {
		overview.Sources = []SourceOverview{}
	}
	if !overview.Status.Valid() || (overview.Status == healthcheck.True && !overview.Healthy()) {
		overview.Status, overview.Reason = healthcheck.Unknown, ReasonInvalidOverview
		overview.Message = "the overview says something else than its findings"
	}
	return overview
}
