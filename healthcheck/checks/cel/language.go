package cel

import (
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
)

// known are the fields that expressions can use without naming them in Rule.Fields.
// Status, spec, and data may be anything, as the definition of the kind has it.
var known = map[string]*cel.Type{
	"apiVersion": cel.StringType,
	"kind":       cel.StringType,
	"metadata":   cel.MapType(cel.StringType, cel.DynType),
	"spec":       cel.DynType,
	"status":     cel.DynType,
	"data":       cel.DynType,
}

// newEnv returns the language that Flux's expressions are written in, for objects that
// have more fields. The versions are those that Flux has: what a new version of the
// library adds would not be understood there. The fifth version of strings adds no
// function, only what they cost.
func newEnv(fields []string) (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(cel.OptionalTypesVersion(2)),
		ext.Strings(ext.StringsVersion(5)),
		ext.Sets(),
		ext.Encoders(ext.EncodersVersion(0)),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals()),
	}
	for name, t := range known {
		options = append(options, cel.Variable(name, t))
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(fields))) {
		if _, ok := known[name]; !ok {
			options = append(options, cel.Variable(name, cel.DynType))
		}
	}
	return cel.NewEnv(options...)
}

// fits reports whether a value of a type can be one of another. Whether a field of an
// object does is seen when the object is there.
func fits(got, want *cel.Type) bool {
	if got.Kind() == types.DynKind || got.IsExactType(want) {
		return true
	}
	return got.Kind() == types.ListKind && want.Kind() == types.ListKind && fits(got.Parameters()[0], want.Parameters()[0])
}
