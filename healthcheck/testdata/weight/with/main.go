// Command with is a manager with the engine in it, see TestBinary.
package main

import (
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		panic(err)
	}
	if err := (&healthcheck.Reconciler[*corev1.Service]{}).SetupWithManager(mgr); err != nil {
		panic(err)
	}
	panic(mgr.Start(ctrl.SetupSignalHandler()))
}
