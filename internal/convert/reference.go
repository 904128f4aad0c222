package convert

import (
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// What the API accepts for the parts of a reference.
var (
	refAPIVersion = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[a-z]([-a-z0-9]*[a-z0-9])?$`)
	refKind       = regexp.MustCompile(`^[a-zA-Z]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$`)
	refName       = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// badReference says why a reference to a template is invalid; empty if it is valid.
func badReference(ref *yaml.Node) string {
	for _, one := range []struct {
		field string
		takes *regexp.Regexp
		most  int
	}{{"apiVersion", refAPIVersion, 317}, {"kind", refKind, 63}, {"name", refName, 253}} {
		value := manifest.Get(ref, one.field)
		if value == nil || value.Kind != yaml.ScalarNode || len(value.Value) > one.most || !one.takes.MatchString(value.Value) {
			return "a template needs an apiVersion with a group, a kind and a name"
		}
	}
	return ""
}
