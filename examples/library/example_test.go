package library_test

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/examples/library"
)

// A program with the controller in it. It ends with SIGTERM.
func ExampleAddToManager() {
	run := func() error {
		scheme := runtime.NewScheme()
		if err := clusterv1.AddToScheme(scheme); err != nil {
			return err
		}
		mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{Scheme: scheme})
		if err != nil {
			return err
		}
		if err := library.AddToManager(mgr); err != nil {
			return err
		}
		return mgr.Start(ctrl.SetupSignalHandler())
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "Running the health checks:", err)
		os.Exit(1)
	}
}
