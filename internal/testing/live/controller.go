package live

import (
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Controller counts the watches that are added to it, and begins none.
type Controller struct {
	controller.Controller
	Watches int
}

// Watch implements controller.Controller.
func (c *Controller) Watch(source.Source) error {
	c.Watches++
	return nil
}
