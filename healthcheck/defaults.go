package healthcheck

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// defaulting is a Store that takes what it was not given from the registration. It gets itself as it was registered: a
// store that embeds it is another one.
type defaulting[T any] interface {
	withDefaults(registered Store[T], c client.Client, name string) Store[T]
}

func (s Metav1Store[T]) withDefaults(registered Store[T], c client.Client, name string) Store[T] {
	if _, plain := registered.(Metav1Store[T]); !plain {
		return registered
	}
	if s.Client == nil {
		s.Client = c
	}
	if s.FieldOwner == "" {
		s.FieldOwner = fieldOwner(name)
	}
	return s
}

// maxFieldOwner is how long a field owner may be, in bytes.
const maxFieldOwner = 128

// fieldOwner is a name as a field owner can have it, or a hash of it.
func fieldOwner(name string) string {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(name) <= maxFieldOwner && !strings.ContainsFunc(name, unprintable) {
		return name
	}
	return fmt.Sprintf("%x", sha256.Sum224([]byte(name)))
}
