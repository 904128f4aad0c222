package healthchecktest_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

func unstructuredOf(fields map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: fields}
}

// TestUpgrade shows a test with the kit.
func TestUpgrade(t *testing.T) {
	shop := books()
	kit := healthchecktest.New(t, shops(), shop, backend(1))

	kit.Run()
	if got := kit.Condition(shop, "Upgraded"); got.Status != healthcheck.Progressing {
		t.Errorf("at first it is %+v", got)
	}

	kit.Advance(10 * time.Minute)
	if got := kit.Condition(shop, "Upgraded"); got.Status != healthcheck.False {
		t.Errorf("in the end it is %+v", got)
	}

	kit.Sound()
}
