package checks_test

import (
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
)

// words are strings that rules look for, and some that they must tolerate.
var words = rapid.OneOf(rapid.SampledFrom([]string{
	"", "NewReplicaSetAvailable", "Running", "Pending", "Failed", "Bound", "LoadBalancer", "OnDelete", "50%", "a\nb", "\xff",
}), rapid.String())

// types and statuses are those of conditions, chosen so that they often match.
var (
	types = rapid.SampledFrom([]string{
		"Available", "Available", "Progressing", "ReplicaFailure", "Ready", "Ready", "Failed", "DiskPressure", "NamesAccepted", "Established", "RollingOut", "HealthCheckSucceeded",
	})
	statuses = rapid.OneOf(rapid.SampledFrom([]string{"True", "True", "True", "False", "Unknown"}), words)
)

// filled draws an object with some fields set, at any depth.
func filled[O any](t *rapid.T) *O {
	obj := new(O)
	fill(t, reflect.ValueOf(obj).Elem(), 8)
	return obj
}

// fill sets a value and its content up to some depth, or leaves it out.
func fill(t *rapid.T, v reflect.Value, depth int) {
	if depth == 0 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(words.Draw(t, "string"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(rapid.Int64Range(-1, 4).Draw(t, "int"))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), depth-1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		if n := rapid.IntRange(0, 3).Draw(t, "length"); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(t, v.Index(i), depth-1)
			}
		}
	case reflect.Struct:
		fillStruct(t, v, depth)
	default: // unchanged
	}
}

// fillStruct skips fields that no rule reads, and those that take long to fill.
func fillStruct(t *rapid.T, v reflect.Value, depth int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(rapid.Int64Range(0, 1).Draw(t, "time"), 0)))
		return
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		isText := field.Type.Kind() == reflect.String
		switch field.Name {
		case "Type":
			if isText && v.FieldByName("Status").IsValid() {
				v.Field(i).SetString(types.Draw(t, "type"))
				continue
			}
			fill(t, v.Field(i), depth-1)
		case "Status":
			if isText {
				v.Field(i).SetString(statuses.Draw(t, "status"))
				continue
			}
			fill(t, v.Field(i), depth-1)
		case "TypeMeta", "Template", "VolumeClaimTemplates", "ManagedFields", "OwnerReferences", "Containers", "InitContainers",
			"EphemeralContainers", "Volumes", "Affinity", "Versions", "Images", "InitContainerStatuses", "EphemeralContainerStatuses":
		default:
			fill(t, v.Field(i), depth-1)
		}
	}
}

// anyJSON draws an unstructured object with conditions, any part of which may have another
// type.
func anyJSON(t *rapid.T) *unstructured.Unstructured {
	list := []any{}
	for _, conditionType := range []string{"ResourcesApplied", "ResourcesHealthy", "ResourcesProgressing", "Available"} {
		list = append(list, orAny(t, map[string]any{"type": orAny(t, conditionType), "status": orAny(t, statuses.Draw(t, "status")), "message": orAny(t, words.Draw(t, "message"))}))
	}
	object := map[string]any{
		"metadata": orAny(t, map[string]any{"generation": orAny(t, rapid.Int64Range(0, 3).Draw(t, "generation"))}),
		"status":   orAny(t, map[string]any{"observedGeneration": orAny(t, rapid.Int64Range(0, 3).Draw(t, "observed")), "conditions": orAny(t, list)}),
	}
	return &unstructured.Unstructured{Object: object}
}

// orAny returns the value, or rarely another one.
func orAny(t *rapid.T, value any) any {
	if rapid.IntRange(0, 15).Draw(t, "other") > 0 {
		return value
	}
	return rapid.SampledFrom([]any{nil, "text", int64(2), 1.5, true, []any{nil, "text"}, map[string]any{"type": "Available"}}).Draw(t, "any")
}
