// Package door opens.
package door

import "github.com/sickbay-dev/sickbay/lib"

// Door is one.
type Door struct{ hinge lib.Hinge }

// Open opens it.
func (d *Door) Open() {
	d.hinge.Turn()
}

func (d *Door) Close() {}

type hidden struct{}

// Name is not seen.
func (hidden) Name() string { return "" }
