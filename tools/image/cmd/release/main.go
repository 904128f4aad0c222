// Command release makes everything that is published for a version: the image, the chart, manifests, the kubectl plugin, checksums
// and notes.
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
	version := flag.String("version", "", "the version to release, such as v1.2.3")
	image := flag.String("image-platforms", "linux/amd64,linux/arm64", "the platforms of the image")
	plugin := flag.String("plugin-platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64", "the platforms of the kubectl plugin")
	out := flag.String("out", "../../dist", "the directory to write to")
	flag.Parse()
	if err := run(context.Background(), *root, *version, *image, *plugin, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, version, image, plugin, out string) error {
	src, err := source.Of(ctx, root, version)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "sickbay-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	o := release.Options{Root: root, Out: out, Work: work, Program: release.Sickbay(root, src), Source: src}
	if o.Image, err = gobuild.Platforms(image); err != nil {
		return err
	}
	if o.Plugin, err = gobuild.Platforms(plugin); err != nil {
		return err
	}
	if err := release.Make(ctx, o); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "The release %s is in %s\n", version, out)
	return nil
}
