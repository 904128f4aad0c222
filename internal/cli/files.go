package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// files are the flags of commands that read manifests.
type files struct {
	names     []string
	recursive bool
}

func (f *files) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVarP(&f.names, "filename", "f", nil, "File or directory to read, or - for the standard input; may be given several times.")
	fs.BoolVarP(&f.recursive, "recursive", "R", false, "Read the directories below a directory, too.")
	_ = cmd.MarkFlagFilename("filename", "yaml", "yml", "json")
}

// read reads what the flags name. What cannot be read is a usage error.
func (f *files) read(cmd *cobra.Command) ([]manifest.File, error) {
	if len(f.names) == 0 {
		return nil, usageError{errors.New("--filename is missing: give a file, a directory, or - for the standard input")}
	}
	all, err := manifest.Read(f.names, f.recursive, cmd.InOrStdin())
	if err != nil {
		return nil, usageError{err}
	}
	return all, nil
}
