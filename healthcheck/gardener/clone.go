package gardener

import (
	"reflect"
	"slices"
	"unsafe"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clone returns a copy of check for one run. It uses DeepCopy if the check has it, or else
// reflection. Then it also copies each check inside, because wrappers often do not, and
// everything else behind a pointer that can hold a client. It only reads the original.
func clone(check HealthCheck) HealthCheck {
	return cloner{}.copy(reflect.ValueOf(check)).Interface().(HealthCheck)
}

// cloner maps originals to copies: a check that occurs twice is copied once.
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

// byMethod returns the result of DeepCopy. If a wrapper only promotes the method of what it
// wraps, the result has another type and is not used.
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

// descend replaces the checks in v with copies. V must be settable.
func (c cloner) descend(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			// The field may be unexported: this is the same field without that flag.
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

// isPlain reports whether values of a type cannot contain a check.
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

// isCopied reports whether each run gets its own copy of what pointers of a type point to.
func isCopied(t reflect.Type) bool {
	return takesClients(t) || (holdsClient(t.Elem()) && !isClient(t))
}

func isClient(t reflect.Type) bool { return t.Implements(reflect.TypeFor[client.Reader]()) }

// holdsClient reports whether values of a type have a field for a client, where a check may
// keep what was injected.
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
