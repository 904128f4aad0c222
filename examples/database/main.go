// Command database runs the health checks of Databases.
package main

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	databasev1 "github.com/sickbay-dev/sickbay/examples/database/api/v1"
	"github.com/sickbay-dev/sickbay/examples/database/health"
)

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "Running the health checks of Databases:", err)
		os.Exit(1)
	}
}

func run() error {
	kinds := runtime.NewScheme()
	if err := scheme.AddToScheme(kinds); err != nil {
		return err
	}
	if err := databasev1.AddToScheme(kinds); err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), health.Options(kinds))
	if err != nil {
		return err
	}
	if err := health.SetupWithManager(mgr); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}
