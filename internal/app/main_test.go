package app

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestMain runs the tests with an API server that has Cluster API's kinds, but none of OpenShift's.
func TestMain(m *testing.M) { env.Main(m, env.WithScheme(configv1.Install)) }
