package healthcheck

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// newObject returns an empty object of the kind.
func (r *Registration[T]) newObject() T {
	if r.New != nil {
		return r.New()
	}
	return newOf[T]()
}

// newOf returns an empty object of a type that is a pointer.
func newOf[T any]() T { return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T) }

// saysKind reports whether the type of the objects tells their kind, so that New need not.
func (r *Registration[T]) saysKind() bool {
	if reflect.TypeFor[T]().Kind() != reflect.Pointer {
		return false
	}
	switch any(*new(T)).(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata:
		return false
	default:
		return true
	}
}

// store is that of the registration, or the default; nil if the type has no conditions.
func (r *Registration[T]) store() Store[T] {
	if r.Store == nil && reflect.TypeFor[T]().Implements(reflect.TypeFor[Metav1Object]()) {
		return conventional[T]{}
	}
	return r.Store
}

// errNoStore says what a registration needs to have a Store.
func (r *Registration[T]) errNoStore() error {
	return fmt.Errorf("registration %q has no Store: give it one, or the type %s the method GetConditions() []metav1.Condition", r.Name, reflect.TypeFor[T]())
}

// defaulting is a store that takes what it was not given from the registration.
type defaulting interface {
	withDefaults(c client.Client, name string) any
}

func (s Metav1Store[T]) withDefaults(c client.Client, name string) any {
	if s.Client == nil {
		s.Client = c
	}
	if s.FieldOwner == "" {
		s.FieldOwner = fieldOwner(name)
	}
	return s
}

// errNoClient says that nobody has given a store its client.
var errNoClient = errors.New("the Metav1Store has no Client: set it, or embed the store, which then gets that of the manager")

// withDefaults returns a store with the defaults in each Metav1Store that it is, or embeds. Where there is a pointer on the
// way to it, what that points to is changed.
func withDefaults[T any](store Store[T], c client.Client, name string) Store[T] {
	v := reflect.New(reflect.TypeFor[Store[T]]()).Elem()
	v.Set(reflect.ValueOf(store))
	setDefaults(v, c, name)
	return v.Interface().(Store[T])
}

// setDefaults goes into v, and into what is embedded in it.
func setDefaults(v reflect.Value, c client.Client, name string) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() && v.CanSet() {
			inside := reflect.New(v.Elem().Type()).Elem()
			inside.Set(v.Elem())
			setDefaults(inside, c, name)
			v.Set(inside)
		}
	case reflect.Pointer:
		if v.IsNil() && v.CanSet() && v.Type().Elem().Implements(reflect.TypeFor[defaulting]()) {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			setDefaults(v.Elem(), c, name)
		}
	case reflect.Struct:
		setDefaultsOfStruct(v, c, name)
	default:
	}
}

// setDefaultsOfStruct sets those of a store, or goes into what it embeds, from which it has the method of one.
func setDefaultsOfStruct(v reflect.Value, c client.Client, name string) {
	embeds := false
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous {
			embeds = true
			setDefaults(v.Field(i), c, name)
		}
	}
	if embeds || !v.CanSet() {
		return
	}
	if store, ok := reflect.TypeAssert[defaulting](v); ok {
		v.Set(reflect.ValueOf(store.withDefaults(c, name)))
	}
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
