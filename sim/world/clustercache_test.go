package world

import (
	"context"
	"errors"
	"net/http"
	"testing"

	. "github.com/onsi/gomega"
)

type tripFunc func(*http.Request) (*http.Response, error)

func (f tripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTurns(t *testing.T) {
	g := NewWithT(t)
	var fail error
	turns := &turns{turn: make(chan struct{}, 1), next: tripFunc(func(*http.Request) (*http.Response, error) {
		return &http.Response{Body: http.NoBody}, fail
	})}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://etcd", nil)
	g.Expect(err).NotTo(HaveOccurred())
	impatient, cancel := context.WithCancel(t.Context())
	cancel()

	first, err := turns.RoundTrip(request)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = turns.RoundTrip(request.WithContext(impatient))
	g.Expect(err).To(MatchError(context.Canceled), "the first is not closed yet")

	g.Expect(first.Body.Close()).To(Succeed())
	g.Expect(first.Body.Close()).To(Succeed(), "closing twice must not end somebody else's turn")
	second, err := turns.RoundTrip(request)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(second.Body.Close()).To(Succeed())

	fail = errors.New("no route")
	for range 2 {
		_, err = turns.RoundTrip(request)
		g.Expect(err).To(MatchError(fail), "a failed request has no response to close")
	}
}
