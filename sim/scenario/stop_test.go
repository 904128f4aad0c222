package scenario

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

var errBroken = errors.New("broken")

func TestAStoryStopsAtAnError(t *testing.T) {
	for name, test := range map[string]struct {
		step func()
		want string
	}{
		"must":    {func() { must(errBroken) }, "broken"},
		"mustGet": {func() { mustGet(1, errBroken) }, "broken"},
		"mustDo":  {func() { mustDo(errBroken, "getting Node %s", "n") }, "getting Node n: broken"},
		"failf":   {func() { failf("Node %s: %w", "n", errBroken) }, "Node n: broken"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			undone, after := false, false
			story := Scenario{story: func(_ context.Context, s *Stage) {
				defer func() { undone = true }()
				s.outcome.Detected = time.Second
				test.step()
				after = true
			}}
			outcome, err := story.Play(t.Context(), &Stage{})
			g.Expect(err).To(MatchError(test.want))
			g.Expect(err).To(MatchError(errBroken))
			g.Expect(outcome).To(Equal(Outcome{Detected: time.Second}), "what was measured before is kept")
			g.Expect(undone).To(BeTrue())
			g.Expect(after).To(BeFalse())
		})
	}
}

func TestAStoryWithoutErrors(t *testing.T) {
	g := NewWithT(t)
	story := Scenario{story: func(_ context.Context, s *Stage) {
		must(nil)
		mustDo(nil, "nothing")
		s.outcome.Remark = mustGet("fine", nil)
	}}
	outcome, err := story.Play(t.Context(), &Stage{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(outcome.Remark).To(Equal("fine"))
}

// A bug must not look like a story that ended in another way.
func TestOtherPanicsAreNotCaught(t *testing.T) {
	g := NewWithT(t)
	g.Expect(func() { _ = catch(func() { panic(errBroken) }) }).To(PanicWith(errBroken))
	g.Expect(func() { _ = catch(func() { panic("a bug") }) }).To(PanicWith("a bug"))
}
