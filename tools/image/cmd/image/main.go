// Command image builds Sickbay's image as an OCI layout, without Docker.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/release"
	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

func main() {
	root := flag.String("root", "../..", "the repository")
	version := flag.String("version", "dev", "the version of the image")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64", "the platforms of the image")
	out := flag.String("out", "", "the directory to write to")
	flag.Parse()
	if err := run(context.Background(), *root, *version, *platforms, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, version, list, out string) error {
	if out == "" {
		return fmt.Errorf("-out must name a directory")
	}
	platforms, err := gobuild.Platforms(list)
	if err != nil {
		return err
	}
	src, err := source.Of(ctx, root, version)
	if err != nil {
		return err
	}
	if err := release.Image(ctx, release.Sickbay(root, src), src, platforms, out); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "The image %s for %s is in %s\n", version, list, release.LayoutDir(out))
	return nil
}
