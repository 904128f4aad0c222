package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// files holds the flags of commands that read manifests.
type files struct {
	names     []string
	recursive bool
}

func (f *files) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVarP(&f.names, "filename", "f", nil, "File or directory to read, or - for standard input; may be given several times.")
	fs.BoolVarP(&f.recursive, "recursive", "R", false, "Also read the subdirectories of directories.")
	_ = cmd.MarkFlagFilename("filename", "yaml", "yml", "json")
}

// read reads the files that the flags name. A file that cannot be read is a usage error.
func (f *files) read(cmd *cobra.Command) ([]manifest.File, error) {
	if len(f.names) == 0 {
		return nil, usageError{errors.New("--filename is missing: give a file, a directory, or - for standard input")}
	}
	all, err := manifest.Read(f.names, f.recursive, cmd.InOrStdin())
	if err != nil {
		return nil, usageError{err}
	}
	return all, nil
}
