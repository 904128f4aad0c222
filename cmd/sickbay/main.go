// Command sickbay keeps Kubernetes machines healthy.
package main

import (
	"os"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/cli"
)

func main() {
	os.Exit(cli.Main(ctrl.SetupSignalHandler(), os.Args[1:], os.Stdout, os.Stderr))
}
