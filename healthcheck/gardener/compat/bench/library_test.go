package bench

import (
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"os/exec"
	"testing"

	"k8s.io/client-go/rest"
)

// library is a process that runs a library, as the measuring process sees it.
type library struct {
	*rpc.Client

	command *exec.Cmd
}

// launch starts this binary again.
func launch(b *testing.B, name string) *library {
	b.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), underTest+"="+name)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	must(b, err)
	out, err := command.StdoutPipe()
	must(b, err)
	must(b, command.Start())
	return &library{jsonrpc.NewClient(pipe{out, in}), command}
}

// end stops the process and waits for it.
func (l *library) end(b *testing.B) {
	b.Helper()
	must(b, l.Close())
	if err := l.command.Wait(); err != nil {
		b.Errorf("the process of the library: %v", err)
	}
}

func (l *library) fill(b *testing.B, config *rest.Config) {
	b.Helper()
	must(b, l.Call("Process.Fill", Server{Host: config.Host, TLS: config.TLSClientConfig}, &struct{}{}))
}

func (l *library) start(b *testing.B) {
	b.Helper()
	must(b, l.Call("Process.Start", struct{}{}, &struct{}{}))
}

func (l *library) count(b *testing.B) (effort Effort) {
	b.Helper()
	must(b, l.Call("Process.Count", struct{}{}, &effort))
	return effort
}

func (l *library) weigh(b *testing.B) (weight Weight) {
	b.Helper()
	must(b, l.Call("Process.Weigh", struct{}{}, &weight))
	return weight
}
