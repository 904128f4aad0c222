package checks_test

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/draw"
)

// filled draws an object with some fields set, at any depth.
func filled[O any](t *rapid.T) *O { return draw.Object[O](t) }

// anyJSON draws an unstructured object with conditions, any part of which may be something else.
func anyJSON(t *rapid.T) *unstructured.Unstructured { return draw.Unstructured(t) }
