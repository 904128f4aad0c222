package targets

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/network"
)

// unavailable returns the healthcheck.UnavailableError in err, or nil.
func unavailable(err error) *healthcheck.UnavailableError {
	found, _ := errors.AsType[*healthcheck.UnavailableError](err)
	return found
}

// answered reports whether the target has answered a request that returned err. The answer
// may be a refusal.
func answered(err error) bool {
	if err == nil || meta.IsNoMatchError(err) {
		return true
	}
	var status apierrors.APIStatus
	return errors.As(err, &status) && !apierrors.IsUnauthorized(err)
}

// isNetwork reports whether err came from the network, rather than from our own limits.
func isNetwork(err error) bool {
	if _, ok := errors.AsType[throttledError](err); ok {
		return false
	}
	_, isNet := errors.AsType[net.Error](err)
	return isNet || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF)
}

// patience is how long a request must have waited before its end counts as the target's
// fault even though the caller's time was up.
const patience = time.Second

// gaveUp reports whether the caller ended the request before an answer could be expected.
func gaveUp(ctx context.Context, waited time.Duration) bool {
	return errors.Is(ctx.Err(), context.Canceled) || (ctx.Err() != nil && waited < patience)
}

// cause returns what is wrong, in words that are the same for each attempt.
func cause(err error) string {
	if apierrors.IsUnauthorized(err) {
		return "refuses the credential"
	}
	return network.Cause(err)
}
