package rules

import (
	"reflect"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/ext"
)

// maxNesting is the maximum nesting of a rule: checking the types of deeper ones takes long.
const maxNesting = 32

// language returns the environment in which all rules are compiled.
var language = sync.OnceValues(func() (*cel.Env, error) {
	withoutDyn := &env.LibrarySubset{ExcludeFunctions: []*env.Function{{Name: "dyn"}}}
	return cel.NewCustomEnv(
		cel.StdLib(cel.StdLibSubset(withoutDyn)),
		cel.OptionalTypes(cel.OptionalTypesVersion(2)),
		cel.ParserRecursionLimit(maxNesting),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		ext.NativeTypes(ext.ParseStructTags(true), reflect.TypeFor[Finding](), reflect.TypeFor[Machine](), reflect.TypeFor[Attempt]()),
		cel.Variable("findings", cel.ListType(cel.ObjectType("rules.Finding"))),
		cel.Variable("machine", cel.ObjectType("rules.Machine")),
		cel.Variable("attempts", cel.ListType(cel.ObjectType("rules.Attempt"))),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals(), plain{}),
	)
})
