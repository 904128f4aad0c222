package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/internal/app"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "sickbay %s %s/%s %s\n", app.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
			return err
		},
	}
}
