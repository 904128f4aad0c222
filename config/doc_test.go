// Package config_test holds the tests of the manifests in this directory: that an API server takes
// them, and that what they permit is enough for the manager and no more than it should be.
package config_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) { env.Main(m) }
