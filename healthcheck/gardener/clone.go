package gardener

import (
	"reflect"
	"slices"
	"unsafe"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clone returns an instance of check that belongs to one run. It is a copy by DeepCopy
// if the check has it, and else one by reflection; then each check inside is copied
// too, which those of wrappers often are not, and what else it has a pointer to that has a
// place for a client. The original is only read.
func clone(check HealthCheck) HealthCheck {
	return cloner{}.copy(reflect.ValueOf(check)).Interface().(HealthCheck)
}

// cloner knows what was copied already: a check that is there twice stays one.
type cloner map[unsafe.Pointer]reflect.Value

func (c cloner) copy(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		fresh := reflect.New(v.Type()).Elem()
		fresh.Set(v)
		c.descend(fresh)
		return fresh
	}
	if v.IsNil() {
		return v
	}
	if known, ok := c[v.UnsafePointer()]; ok && known.Type() == v.Type() {
		return known
	}
	fresh := reflect.New(v.Type().Elem())
	fresh.Elem().Set(byMethod(v).Elem())
	c[v.UnsafePointer()] = fresh
	c.descend(fresh.Elem())
	return fresh
}

// byMethod is what DeepCopy returns. If a wrapper has the method only from what it
// wraps, that is of another type, and no copy.
func byMethod(v reflect.Value) reflect.Value {
	method := v.MethodByName("DeepCopy")
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 {
		return v
	}
	made := method.Call(nil)[0]
	if made.Kind() == reflect.Interface {
		made = made.Elem()
	}
	if !made.IsValid() || made.Type() != v.Type() || made.IsNil() {
		return v
	}
	return made
}

// descend replaces the checks in v, which can be set, by copies.
func (c cloner) descend(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			// The field may be unexported: this is the same one without that mark.
			c.descend(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem())
		}
	case reflect.Pointer:
		if isCopied(v.Type()) {
			v.Set(c.copy(v))
		}
	case reflect.Interface:
		if !v.IsNil() && takesClients(v.Elem().Type()) {
			v.Set(c.copy(v.Elem()))
		}
	case reflect.Array:
		c.elements(v)
	case reflect.Slice:
		c.slice(v)
	case reflect.Map:
		c.values(v)
	default:
	}
}

func (c cloner) slice(v reflect.Value) {
	if v.IsNil() || isPlain(v.Type().Elem()) {
		return
	}
	fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(fresh, v)
	v.Set(fresh)
	c.elements(v)
}

func (c cloner) elements(v reflect.Value) {
	if isPlain(v.Type().Elem()) {
		return
	}
	for i := range v.Len() {
		c.descend(v.Index(i))
	}
}

func (c cloner) values(v reflect.Value) {
	if v.IsNil() || isPlain(v.Type().Elem()) {
		return
	}
	fresh := reflect.MakeMapWithSize(v.Type(), v.Len())
	for key, value := range v.Seq2() {
		element := reflect.New(v.Type().Elem()).Elem()
		element.Set(value)
		c.descend(element)
		fresh.SetMapIndex(key, element)
	}
	v.Set(fresh)
}

// isPlain tells that there can be no check in values of a type.
func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Interface, reflect.Array, reflect.Slice, reflect.Map:
		return false
	default:
		return true
	}
}

var changing = []reflect.Type{
	reflect.TypeFor[SourceClient](), reflect.TypeFor[TargetClient](),
	reflect.TypeFor[SeedClient](), reflect.TypeFor[ShootClient](),
	reflect.TypeFor[interface{ SetLoggerSuffix(provider, kind string) }](),
}

// takesClients reports whether a run changes values of a type. A client does not count,
// whatever methods it has.
func takesClients(t reflect.Type) bool {
	return !isClient(t) && slices.ContainsFunc(changing, t.Implements)
}

// isCopied reports whether what pointers of a type point to is one's own in each run.
func isCopied(t reflect.Type) bool {
	return takesClients(t) || (holdsClient(t.Elem()) && !isClient(t))
}

func isClient(t reflect.Type) bool { return t.Implements(reflect.TypeFor[client.Reader]()) }

// holdsClient reports whether values of a type have a place for a client, where a check may
// keep what it was given.
func holdsClient(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return t.Kind() == reflect.Interface && isClient(t)
	}
	for field := range t.Fields() {
		if holdsClient(field.Type) {
			return true
		}
	}
	return false
}
