package lint

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
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
		said := fmt.Sprintf("it must be of type %s, and is of type %s", types[1], types[2])
		if strings.HasSuffix(err.Field, ".status") && types[2] == "boolean" {
			said += "; put it in quotes"
		}
		return said
	}
	if body == "Invalid value: "+detail || err.BadValue == nil {
		return itself(detail)
	}
	return body
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
