package checks

import "github.com/sickbay-dev/sickbay/healthcheck/internal/network"

// StableError is for authors of checks that use a network. The error of an ordinary net/http
// client contains the local port, which differs each time; but a condition must say the same for
// the same problem. The text of StableError contains no local ports and no times, and only the
// host of a URL:
//
//	resp, err := client.Do(req)
//	if err != nil {
//		return healthcheck.Result{}, checks.StableError(fmt.Errorf("asking the shop: %w", err))
//	}
//
// Other errors stay as they are. errors.Is and errors.As still find everything in err. [One] and
// [Each] do this with the errors of their client.
func StableError(err error) error { return network.Stable(err) }
