package checks

import "github.com/sickbay-dev/sickbay/healthcheck"

// enough demands as many as are wanted; what is, for example, "replicas are ready".
func enough(reason string, have, want int32, what string) healthcheck.Result {
	if have < want {
		return unhealthy(reason, "%d of %d %s", have, want, what)
	}
	return healthy()
}
