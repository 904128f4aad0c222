package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// unknownField is the message for a field that the API does not have.
const unknownField = "there is no such field"

// missing is the message for a missing required field.
const missing = "it is required"

// wrongType matches the message for a value of a wrong type.
var wrongType = regexp.MustCompile(`^must be of type (\w+): "(\w+)"$`)

// sentence returns an API server's message about a field, without the name of the field.
func sentence(err *field.Error) string {
	if err.Type == field.ErrorTypeRequired {
		return missing
	}
	body := strings.Replace(err.ErrorBody(), err.Field+" in body ", "", 1)
	detail := strings.Replace(err.Detail, err.Field+" in body ", "", 1)
	if types := wrongType.FindStringSubmatch(detail); types != nil {
		return ofType(types[1], types[2])
	}
	if body == "Invalid value: "+detail || err.BadValue == nil {
		return itself(detail)
	}
	return body
}

// ofType says that a value has the wrong type.
func ofType(want, is string) string {
	said := fmt.Sprintf("it must be of type %s, and is of type %s", want, is)
	if want == "string" && slices.Contains([]string{"boolean", "integer", "number"}, is) {
		said += quotes
	}
	return said
}

const quotes = "; put it in quotes"

// withUnit adds the unit to what is said about a duration that is a number.
func withUnit(obj manifest.Object, of problem) string {
	said, isNumber := strings.CutSuffix(of.message, "of type integer"+quotes)
	_, value, found := manifest.At(obj.Node, of.field)
	_, name := split(of.field)
	if !isNumber || !found || aliasOf(name, []string{"timeout", "duration", "nodeStartupTimeout"}) == "" && name != "nodeStartupTimeout" {
		return of.message
	}
	return said + "of type integer; perhaps " + value.Value + "s is meant"
}

// itself turns a message about a field into a sentence.
func itself(said string) string {
	for _, verb := range []string{"is ", "must ", "names ", "cannot ", "should "} {
		if strings.HasPrefix(said, verb) {
			return "it " + said
		}
	}
	return said
}
