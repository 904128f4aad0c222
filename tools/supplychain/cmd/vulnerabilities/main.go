// Command vulnerabilities runs govulncheck over the modules of this repository.
//
// The database is on the internet. If it cannot be reached, nothing is checked: the command says so and succeeds, or fails with -require.
// So a build machine without internet access does not fail, but its output says that nothing was checked.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/vuln/scan"
)

// patience is how long to wait for the database.
const patience = 15 * time.Second

// found is the exit code of govulncheck if it found something.
const found = 3

// options holds the flags.
type options struct {
	db      string
	require bool
	// ships are the modules whose code users run. A vulnerability in code that they call is an error.
	ships []string
	// others are modules for tests and tools. Vulnerabilities in their requirements are only reported.
	others []string
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "vulnerabilities: %v\n", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	set, o, ships := flag.NewFlagSet("vulnerabilities", flag.ContinueOnError), options{}, ""
	set.StringVar(&o.db, "db", "https://vuln.go.dev", "The database: https://HOST, or file:///DIR for a copy of it.")
	set.BoolVar(&o.require, "require", false, "Fail if the database cannot be reached.")
	set.StringVar(&ships, "ships", "", "Directories of the modules whose code users run, separated by commas.")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	o.ships, o.others = strings.Split(ships, ","), set.Args()
	if ships == "" {
		return o, errors.New("-ships must name a module")
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := reach(ctx, o.db); err != nil {
		if o.require {
			return fmt.Errorf("the database cannot be reached, so NOTHING WAS CHECKED: %w", err)
		}
		fmt.Fprintf(out, "WARNING: the vulnerability database cannot be reached, so NOTHING WAS CHECKED for known vulnerabilities: %v\n", err)
		return nil
	}
	var bad []string
	for _, dir := range o.ships {
		fmt.Fprintf(out, "== vulnerabilities in what %s calls\n", dir)
		sick, err := check(ctx, out, "-db", o.db, "-C", dir, "./...")
		if err != nil {
			return fmt.Errorf("checking %s: %w", dir, err)
		}
		if sick {
			bad = append(bad, dir)
		}
	}
	for _, dir := range o.others {
		fmt.Fprintf(out, "== vulnerabilities in what %s requires, which users do not run\n", dir)
		if _, err := check(ctx, out, "-db", o.db, "-C", dir, "-scan", "module"); err != nil {
			return fmt.Errorf("checking %s: %w", dir, err)
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("vulnerable code is called in: %s", strings.Join(bad, " "))
	}
	return nil
}

// reach reports why the database cannot be read.
func reach(ctx context.Context, db string) error {
	u, err := url.Parse(db)
	if err != nil {
		return err
	}
	if u.Scheme == "file" {
		_, err := os.Stat(filepath.Join(u.Path, "index", "db.json"))
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(db, "/")+"/index/db.json", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", response.Status)
	}
	return nil
}

// check runs govulncheck, and reports whether it found something.
func check(ctx context.Context, out io.Writer, args ...string) (bool, error) {
	cmd := scan.Command(ctx, args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return false, err
	}
	err := cmd.Wait()
	if code := (interface{ ExitCode() int })(nil); errors.As(err, &code) && code.ExitCode() == found {
		return true, nil
	}
	return false, err
}
