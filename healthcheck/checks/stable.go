package checks

import "github.com/sickbay-dev/sickbay/healthcheck/internal/network"

// StableError is for authors of checks that ask over a network. The error of an ordinary
// net/http client has the local port in it, which is another one each time; a condition
// must say the same for the same problem. The text of StableError has neither ports of
// this side nor times, and nothing of a URL but the host:
//
//	resp, err := client.Do(req)
//	if err != nil {
//		return healthcheck.Result{}, checks.StableError(fmt.Errorf("asking the shop: %w", err))
//	}
//
// What is not of a network stays as it is, and so does what errors.Is and errors.As find.
// [One] and [Each] do this with what their client returns.
func StableError(err error) error { return network.Stable(err) }
