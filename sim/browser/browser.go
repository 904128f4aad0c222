package browser

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/chromedp/chromedp"
)

// Browser is a running Chromium.
type Browser struct {
	ctx  context.Context
	end  []context.CancelFunc
	data string
}

// flags are for a machine without a screen, where Chromium may have to run as root. They also keep Chromium from sending requests of
// its own.
var flags = []string{"no-sandbox", "disable-gpu", "disable-quic", "disable-component-update", "disable-domain-reliability", "no-pings", "hide-scrollbars"}

// Start starts the binary at a path with an empty profile, and with more environment variables. Its output goes to log.
func Start(path string, log io.Writer, variables ...string) (*Browser, error) {
	data, err := os.MkdirTemp("", "sickbay-browser-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the browser: %w", err)
	}
	b := &Browser{data: data}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(data), chromedp.CombinedOutput(log), chromedp.Env(variables...))
	for _, flag := range flags {
		options = append(options, chromedp.Flag(flag, true))
	}
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	b.end = append(b.end, end)
	b.ctx, end = chromedp.NewContext(ctx, chromedp.WithErrorf(func(format string, args ...any) { _, _ = fmt.Fprintf(log, format+"\n", args...) }))
	b.end = append(b.end, end)
	if err := chromedp.Do(b.ctx); err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, errorOf(err, b.Stop()))
	}
	return b, nil
}

// errorOf returns the first of two errors that is not nil.
func errorOf(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// Stop ends the browser and removes its profile.
func (b *Browser) Stop() error {
	err := chromedp.Cancel(b.ctx)
	for _, end := range slices.Backward(b.end) {
		end()
	}
	if err != nil {
		err = fmt.Errorf("ending the browser: %w", err)
	}
	if gone := os.RemoveAll(b.data); gone != nil {
		err = errorOf(err, fmt.Errorf("removing the profile of the browser: %w", gone))
	}
	return err
}
