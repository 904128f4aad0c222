package world

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// TestRelay: a silent relay breaks open connections, and accepts new ones without answering. Afterwards, it forwards again.
func TestRelay(t *testing.T) {
	g := NewWithT(t)
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = echo.Close() }()
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
	r, err := newRelay(echo.Addr().String())
	g.Expect(err).NotTo(HaveOccurred())
	say := func(conn net.Conn) (string, error) {
		if _, err := io.WriteString(conn, "hello\n"); err != nil {
			return "", err
		}
		return bufio.NewReader(conn).ReadString('\n')
	}
	connect := func() net.Conn {
		conn, err := net.Dial("tcp", r.listener.Addr().String())
		g.Expect(err).NotTo(HaveOccurred())
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	open := connect()
	g.Expect(say(open)).To(Equal("hello\n"))

	r.setSilent(true)
	_, err = say(open)
	g.Expect(err).To(HaveOccurred())
	g.Expect(errors.Is(err, os.ErrDeadlineExceeded)).To(BeFalse(), "it breaks")
	mute := connect()
	g.Expect(mute.SetReadDeadline(time.Now().Add(100 * time.Millisecond))).To(Succeed())
	_, err = say(mute)
	g.Expect(err).To(MatchError(os.ErrDeadlineExceeded), "it is taken, and not answered")

	r.setSilent(false)
	g.Expect(say(connect())).To(Equal("hello\n"))
	g.Expect(r.close()).To(Succeed())
	_, err = net.Dial("tcp", r.listener.Addr().String())
	g.Expect(err).To(HaveOccurred())
}
