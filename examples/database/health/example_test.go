package health_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"text/tabwriter"

	"sigs.k8s.io/controller-runtime/pkg/client"

	databasev1 "github.com/sickbay-dev/sickbay/examples/database/api/v1"
	"github.com/sickbay-dev/sickbay/examples/database/health"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// A Database without its certificate, with a Pod that is not ready, in the middle of an upgrade.
func Example() {
	database := books("")
	database.Spec.Version = "18.0"
	var kit *healthchecktest.Kit[*databasev1.Database]
	memory := healthcheck.TargetsFunc[*databasev1.Database](func(context.Context, *databasev1.Database) (client.Reader, error) {
		return kit.Client, nil
	})
	kit = healthchecktest.New(printer{}, health.Checks(memory, nil), database, replicas(0), backup(1))
	kit.Run()

	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, c := range kit.Conditions(database) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", c.Type, c.Status, c.Reason, cmp.Or(c.Message, "-"))
	}
	_ = table.Flush()
	// Output:
	// Available  False        ReplicasNotReady  StatefulSet shop/books: Fewer than 1 replicas are ready
	// Upgraded   Progressing  Upgrading         Version 18.0 is wanted, and 17.1 runs
	// BackedUp   True         Healthy           -
	// Degraded   True         NotFound          Secret shop/books-tls is not found
	// Ready      False        ReplicasNotReady  Available: StatefulSet shop/books: Fewer than 1 replicas are ready; Degraded: Secret shop/books-tls is not found
}

// printer replaces the test.
type printer struct{}

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printer) Fatalf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
