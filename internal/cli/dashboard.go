package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/sickbay-dev/sickbay/internal/dashboard"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

type dashboardFlags struct {
	lookFlags
	port    int
	open    bool
	actions bool
}

func newDashboard() *cobra.Command {
	f := dashboardFlags{}
	cmd := &cobra.Command{
		Use:   "dashboard",
		Short: "Show the fleet in the browser: what is sick, what is being done about it, and what happens next",
		Long: "Serve web pages on 127.0.0.1, and print the address. The pages show what status, explain, history and simulate say, with drawings,\n" +
			"and stay up to date until you interrupt the command. It reads with your own rights, and needs no manager. Anyone on this computer can\n" +
			"see the pages, too. It writes nothing without --actions. With it, the pages approve, deny, retry, cancel, hold and\n" +
			"release with your own rights, and only people with the whole address see them.",
		Example: "  sickbay dashboard -A --open\n  sickbay dashboard -n blue --port 8080\n  sickbay dashboard -A --actions",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(cmd.Flags())
	cmd.Flags().IntVar(&f.port, "port", 0, "Port on 127.0.0.1; 0 chooses a free one.")
	cmd.Flags().BoolVar(&f.open, "open", false, "Open the address in the browser.")
	cmd.Flags().BoolVar(&f.actions, "actions", false, "Let the pages approve, deny, retry, cancel, hold and release, with your own rights.")
	return cmd
}

func (f *dashboardFlags) run(cmd *cobra.Command) error {
	if f.port < 0 || f.port > 65535 {
		return usageError{fmt.Errorf("--port is %d: it must be from 0 to 65535", f.port)}
	}
	listener, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
	if err != nil {
		return fmt.Errorf("--port %d cannot be used: %w", f.port, err)
	}
	defer func() { _ = listener.Close() }()
	observer, namespace, shut, err := f.lookFlags.open(cmd)
	if err != nil {
		return err
	}
	defer shut()
	options := dashboard.Options{Fleet: observer, Namespace: namespace, Policy: observer.Policy, Clock: clock.RealClock{}}
	address, key := "http://"+listener.Addr().String()+"/", ""
	if f.actions {
		person, err := f.acting(cmd, namespace)
		if err != nil {
			return err
		}
		// Other users of the computer can reach the address, but do not know the key.
		options.Actions, options.Viewer = dashboard.Alone{Who: person}, func(*http.Request) string { return person.Name }
		key = rand.Text()
		address += "?" + url.Values{dashboard.KeyField: {key}}.Encode()
	}
	pages, err := dashboard.New(options)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "The dashboard is at %s (press Ctrl-C to stop it)\n", address)
	if f.open {
		if err := browse(cmd.Context(), address); err != nil {
			cmd.PrintErrf("The browser cannot be opened: %v\n", err)
		}
	}
	return serve(cmd.Context(), listener, pages, key)
}

// acting returns the person on whose behalf the pages write.
func (f *dashboardFlags) acting(cmd *cobra.Command, namespace string) (*useractions.Person, error) {
	c, err := f.client()
	if err != nil {
		return nil, err
	}
	return f.person(cmd, c, namespace, clock.RealClock{}), nil
}

// shutTime is how long running requests may take at the end.
const shutTime = 2 * time.Second

// serve serves the pages until ctx ends; if there is a key, only to people who have it.
func serve(ctx context.Context, listener net.Listener, pages *dashboard.Dashboard, key string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { _ = pages.Run(ctx) }()
	server := manager.Server{Listener: listener, ShutdownTimeout: new(shutTime), Server: &http.Server{
		Handler: dashboard.Local(pages.Handler(), key), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx },
	}}
	return server.Start(ctx)
}

// browse opens an address in the person's browser.
func browse(ctx context.Context, address string) error {
	command := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		command[0] = "open"
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	return exec.CommandContext(ctx, command[0], command[1:]...).Start()
}
