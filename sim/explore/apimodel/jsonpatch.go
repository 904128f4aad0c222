package apimodel

import (
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/json"
)

// patched returns the fields of an object after a patch.
func patched(raw map[string]any, patch []byte, apply func(stored, patch []byte) ([]byte, error)) (map[string]any, error) {
	data, err := json.Marshal(raw)
	if err == nil {
		data, err = apply(data, patch)
	}
	if err != nil {
		return nil, err
	}
	next := map[string]any{}
	return next, json.Unmarshal(data, &next)
}

// jsonPatch applies a JSON patch with the library of the API server.
func jsonPatch(stored, patch []byte) ([]byte, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	return operations.Apply(stored)
}
