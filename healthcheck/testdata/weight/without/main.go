// Command without is a manager without controllers, see TestBinary.
package main

import ctrl "sigs.k8s.io/controller-runtime"

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		panic(err)
	}
	panic(mgr.Start(ctrl.SetupSignalHandler()))
}
