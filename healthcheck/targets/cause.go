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

// answered reports whether the target has answered a request that ended with err. It may
// have said no.
func answered(err error) bool {
	if err == nil || meta.IsNoMatchError(err) {
		return true
	}
	var status apierrors.APIStatus
	return errors.As(err, &status) && !apierrors.IsUnauthorized(err)
}

// isNetwork reports whether err is one of the network, and not of our own making.
func isNetwork(err error) bool {
	if _, ok := errors.AsType[throttledError](err); ok {
		return false
	}
	_, isNet := errors.AsType[net.Error](err)
	return isNet || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF)
}

// patience is how long a request must have been under way for its end to be the
// target's fault although it was the caller who had no more time.
const patience = time.Second

// gaveUp reports whether the caller ended the request, before it could be expected to be
// answered.
func gaveUp(ctx context.Context, waited time.Duration) bool {
	return errors.Is(ctx.Err(), context.Canceled) || (ctx.Err() != nil && waited < patience)
}

// cause says what is wrong, in words that do not change from one try to the next.
func cause(err error) string {
	if apierrors.IsUnauthorized(err) {
		return "refuses the credential"
	}
	return network.Cause(err)
}
