package cel

import (
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
)

// known are the fields that expressions can use without naming them in Rule.Fields. The
// kind's definition decides what status, spec and data contain.
var known = map[string]*cel.Type{
	"apiVersion": cel.StringType,
	"kind":       cel.StringType,
	"metadata":   cel.MapType(cel.StringType, cel.DynType),
	"spec":       cel.DynType,
	"status":     cel.DynType,
	"data":       cel.DynType,
}

// newEnv returns the language of Flux's expressions, with variables for the given fields.
// The versions are those that Flux uses, because it would not understand what newer
// versions add. Version 5 of strings adds no functions, only their costs.
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

// fits reports whether a value of type got can be one of type want. The types of an
// object's fields are checked only at evaluation.
func fits(got, want *cel.Type) bool {
	if got.Kind() == types.DynKind || got.IsExactType(want) {
		return true
	}
	return got.Kind() == types.ListKind && want.Kind() == types.ListKind && fits(got.Parameters()[0], want.Parameters()[0])
}
