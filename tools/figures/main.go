package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", ".", "the `directory` of the repository")
	by := flag.String("by", "room", "what each row of the table is for: `room or package`")
	flag.Parse()
	if err := run(*root, *by); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(root, by string) error {
	key, ok := map[string]func(string) string{"room": room, "package": func(dir string) string { return dir }}[by]
	if !ok {
		return fmt.Errorf("-by is %q: it must be room or package", by)
	}
	files, err := read(root)
	if err != nil {
		return err
	}
	return write(os.Stdout, files, key)
}
