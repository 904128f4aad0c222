package demo

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// preferred is the address of the page if it is free. Then a page that was left open shows the next demo, too.
const preferred = "127.0.0.1:8780"

// web serves the dashboard. It serves from the beginning; until there is a dashboard, the page says so and reloads itself.
type web struct {
	address string
	server  *http.Server
	page    atomic.Pointer[http.Handler]
}

// listen starts serving, on any free port if the preferred one is taken.
func listen(ctx context.Context) (*web, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", preferred)
	if err != nil {
		listener, err = config.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("serving the dashboard: %w", err)
	}
	w := &web{address: "http://" + listener.Addr().String() + "/"}
	w.server = &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = w.server.Serve(listener) }()
	return w, nil
}

// show replaces the waiting page.
func (w *web) show(page http.Handler) { w.page.Store(&page) }

// close closes all connections.
func (w *web) close() { _ = w.server.Close() }

const wait = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="1">
<title>Sickbay's demo is starting</title>
<h1>The demo is starting</h1>
<p>An API server, Cluster API's controllers and Sickbay come up first. This page loads itself again until they are there.</p>
</html>
`

func (w *web) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	if page := w.page.Load(); page != nil {
		(*page).ServeHTTP(answer, r)
		return
	}
	answer.Header().Set("Content-Type", "text/html; charset=utf-8")
	answer.Header().Set("Cache-Control", "no-store")
	answer.Header().Set("Content-Security-Policy", "default-src 'none'")
	_, _ = answer.Write([]byte(wait))
}
