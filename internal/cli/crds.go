package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/config/crd"
)

func newCRDs() *cobra.Command {
	return &cobra.Command{
		Use:     "crds",
		Short:   "Print the definitions of Sickbay's kinds",
		Long:    "Print the CustomResourceDefinitions of this version's kinds as one stream of YAML documents.\nApplying them again is safe.",
		Example: "  sickbay crds | kubectl apply -f -",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			definitions, err := crd.YAML()
			if err != nil {
				return err
			}
			if _, err := cmd.OutOrStdout().Write(definitions); err != nil {
				return fmt.Errorf("printing the definitions: %w", err)
			}
			return nil
		},
	}
}
