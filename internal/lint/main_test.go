package lint

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) { env.Main(m, env.WithCRDFiles("config/crd/sickbay.dev_*.yaml")) }
