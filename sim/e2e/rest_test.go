package e2e_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/sim/e2e"
)

func rest(t *testing.T, s *e2e.Sickbay) { t.Helper() }
