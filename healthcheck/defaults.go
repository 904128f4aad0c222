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

// newObject returns an empty object of the registration's kind.
func (r *Registration[T]) newObject() T {
	if r.New != nil {
		return r.New()
	}
	return newOf[T]()
}

// newOf returns an empty object. T must be a pointer type.
func newOf[T any]() T { return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T) }

// saysKind reports whether T determines the kind, so that New may be nil.
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

// store returns the Store of the registration, or the default; nil if T has no conditions.
func (r *Registration[T]) store() Store[T] {
	if r.Store == nil && reflect.TypeFor[T]().Implements(reflect.TypeFor[Metav1Object]()) {
		return conventional[T]{}
	}
	return r.Store
}

// errNoStore says how to give the registration a Store.
func (r *Registration[T]) errNoStore() error {
	return fmt.Errorf("registration %q has no Store: set one, or give type %s the method GetConditions() []metav1.Condition", r.Name, reflect.TypeFor[T]())
}

// defaulting is a store that takes missing settings from the registration.
type defaulting interface {
	withDefaults(d storeDefaults) any
}

// storeDefaults are the settings of the manager and the registration.
type storeDefaults struct {
	client client.Client
	name   string
	former []string
}

func (s Metav1Store[T]) withDefaults(d storeDefaults) any {
	if s.Client == nil {
		s.Client = d.client
	}
	if s.FieldOwner == "" {
		s.FieldOwner = fieldOwner(d.name)
	}
	if s.FormerOwners == nil {
		for _, name := range d.former {
			s.FormerOwners = append(s.FormerOwners, fieldOwner(name))
		}
	}
	return s
}

// errNoClient is the error of a Metav1Store without a client.
var errNoClient = errors.New("the Metav1Store has no Client: set it, or embed the store so that it gets the manager's client")

// withDefaults returns the store with defaults set in every Metav1Store that it is or embeds. Behind a pointer, it sets
// them in place.
func withDefaults[T any](store Store[T], d storeDefaults) Store[T] {
	v := reflect.New(reflect.TypeFor[Store[T]]()).Elem()
	v.Set(reflect.ValueOf(store))
	setDefaults(v, d)
	return v.Interface().(Store[T])
}

// setDefaults sets the defaults in v and in what v embeds.
func setDefaults(v reflect.Value, d storeDefaults) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() && v.CanSet() {
			inside := reflect.New(v.Elem().Type()).Elem()
			inside.Set(v.Elem())
			setDefaults(inside, d)
			v.Set(inside)
		}
	case reflect.Pointer:
		if v.IsNil() && v.CanSet() && v.Type().Elem().Implements(reflect.TypeFor[defaulting]()) {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			setDefaults(v.Elem(), d)
		}
	case reflect.Struct:
		setDefaultsOfStruct(v, d)
	default:
	}
}

// setDefaultsOfStruct sets the defaults of a struct. If the struct embeds something, its store methods may be promoted,
// so it sets only those of the embedded fields.
func setDefaultsOfStruct(v reflect.Value, d storeDefaults) {
	embeds := false
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous {
			embeds = true
			setDefaults(v.Field(i), d)
		}
	}
	if embeds || !v.CanSet() {
		return
	}
	if store, ok := reflect.TypeAssert[defaulting](v); ok {
		v.Set(reflect.ValueOf(store.withDefaults(d)))
	}
}

// maxFieldOwner is the maximum length of a field owner, in bytes.
const maxFieldOwner = 128

// fieldOwner returns name if it is a valid field owner, or else a hash of it.
func fieldOwner(name string) string {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(name) <= maxFieldOwner && !strings.ContainsFunc(name, unprintable) {
		return name
	}
	return fmt.Sprintf("%x", sha256.Sum224([]byte(name)))
}
