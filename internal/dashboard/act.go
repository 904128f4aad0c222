package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/preview"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// Actions identify the person who sends a request.
type Actions interface {
	// Person returns the person who sent a request, with a client that has that person's rights.
	Person(r *http.Request) (*useractions.Person, error)
}

// Alone acts as one person for all requests, on that person's own computer.
type Alone struct{ Who *useractions.Person }

// Person returns that person.
func (a Alone) Person(*http.Request) (*useractions.Person, error) { return a.Who, nil }

// Verbs of the forms, and a kind that they take.
const (
	verbHold    = "hold"
	verbRelease = "release"
	kindRecord  = "mr"
)

var answers = map[string]v1alpha1.Answer{
	"approve": v1alpha1.AnswerApprove, "deny": v1alpha1.AnswerDeny, "retry": v1alpha1.AnswerRetry, "cancel": v1alpha1.AnswerCancel,
}

// sections are the sections of the pages about objects, by kind.
var sections = map[string]string{kindRecord: "records", useractions.Machine: "machines", useractions.HealthCheck: "checks", useractions.Cluster: "clusters"}

// act is the action that a form requests.
type act struct {
	verb                  string
	namespace, kind, name string
	step, reason          string
	// until is the end of a hold.
	until time.Time
	// seen identifies the change that the person saw; empty if there was none.
	seen string
}

// badForm is an error in the values of a form.
type badForm struct{ error }

// actOf reads a form.
func actOf(verb string, form url.Values, now time.Time) (act, error) {
	a := act{
		verb: verb, namespace: form.Get("namespace"), step: form.Get("step"), reason: strings.TrimSpace(form.Get("reason")), seen: form.Get("seen"),
	}
	a.kind, a.name, _ = strings.Cut(form.Get("object"), "/")
	_, answers := answers[verb]
	_, holds := useractions.HoldKind(a.kind)
	switch {
	case !answers && verb != verbHold && verb != verbRelease:
		return a, badForm{fmt.Errorf("there is no action %q", verb)}
	case a.namespace == "" || a.name == "" || (answers && a.kind != kindRecord) || (!answers && !holds):
		return a, badForm{fmt.Errorf("%q in namespace %q does not support the action %s", form.Get("object"), a.namespace, verb)}
	case verb != verbHold:
		return a, nil
	}
	var err error
	a.until, err = untilOf(form, now)
	return a, err
}

// untilOf returns the end of a hold: the first form has its duration, the form that confirms has its end.
func untilOf(form url.Values, now time.Time) (time.Time, error) {
	if shown := form.Get("until"); shown != "" {
		until, err := time.Parse(time.RFC3339, shown)
		if err != nil || !until.After(now) || until.UTC().Year() > useractions.LastYear {
			return until, badForm{fmt.Errorf("a hold until %q: it must be a time in the future, such as 2006-01-02T15:04:05Z", shown)}
		}
		return until.UTC(), nil
	}
	span, err := humanize.ParseSpan(form.Get("for"))
	if err != nil || span <= 0 {
		return time.Time{}, badForm{fmt.Errorf("a hold for %q: it must be a duration such as 45m, 2h or 3d", form.Get("for"))}
	}
	return useractions.HoldUntil(now, span), nil
}

// change returns what an action would write.
func (a act) change(r *http.Request, actions Actions) (*useractions.Change, error) {
	p, err := actions.Person(r)
	if err != nil {
		return nil, err
	}
	ctx, target := r.Context(), useractions.Target{Kind: a.kind, Namespace: a.namespace, Name: a.name}
	switch a.verb {
	case verbHold:
		return p.Hold(ctx, target, a.until, a.reason)
	case verbRelease:
		return p.Release(ctx, target)
	}
	record, err := p.Record(ctx, a.namespace, a.name)
	if err != nil {
		return nil, err
	}
	if err := preview.CheckStep(record, a.step); err != nil {
		return nil, err
	}
	return p.Answer(ctx, record, preview.Asked{Answer: answers[a.verb], Step: a.step, Reason: a.reason})
}

// acts carries out the actions in forms, with the rights of the person who sends them.
type acts struct {
	actions Actions
	clock   clock.PassiveClock
	show    func(w http.ResponseWriter, r *http.Request, status int, page actPage)
	// written waits until the pages show what was written.
	written func(context.Context)
}

// acts returns the handler for the forms on the pages.
func (d *Dashboard) acts() *acts {
	return &acts{actions: d.options.Actions, clock: d.options.Clock, written: d.observer.refresh, show: func(w http.ResponseWriter, r *http.Request, status int, page actPage) {
		f := d.frameOf(d.observer.current(), "", page.Title)
		f.Main = page
		d.render(w, r, status, "act", f)
	}}
}

// ServeHTTP shows what an action would do, and does it when the person confirms exactly that.
func (s *acts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !readForm(w, r) {
		return
	}
	a, err := actOf(r.PathValue("verb"), r.PostForm, s.clock.Now())
	if err != nil {
		s.refuse(w, r, a, err)
		return
	}
	change, err := a.change(r, s.actions)
	if err != nil {
		s.refuse(w, r, a, err)
		return
	}
	switch {
	case change.Already != "":
		s.show(w, r, http.StatusOK, a.page("There is nothing to write", sentenceOf(change.Already)))
	case a.seen == change.Seen():
		s.write(w, r, a, change)
	default:
		s.ask(w, r, a, change)
	}
}

// ask shows what would be written. The API server checks it before the person is asked.
func (s *acts) ask(w http.ResponseWriter, r *http.Request, a act, change *useractions.Change) {
	if _, err := change.Check(r.Context()); err != nil {
		s.refuse(w, r, a, err)
		return
	}
	page, status := a.page(change.Title, ""), http.StatusOK
	page.Lines, page.Verb, page.Form = change.Lines, a.verb, a.asked(change)
	if a.seen != "" {
		page.Said = "The object changed after this was shown, so nothing was written. The action would now do the following."
		status = http.StatusConflict
	}
	s.show(w, r, status, page)
}

func (s *acts) write(w http.ResponseWriter, r *http.Request, a act, change *useractions.Change) {
	if _, err := change.Write(r.Context()); err != nil {
		s.refuse(w, r, a, err)
		return
	}
	s.written(r.Context())
	page := a.page(change.Title, "Written to "+change.Name+".")
	// The state before the action is no longer true.
	page.Lines = slices.DeleteFunc(change.Lines, func(line preview.Line) bool { return line.Label == preview.LabelNow })
	s.show(w, r, http.StatusOK, page)
}

// refuse says why nothing was written.
func (s *acts) refuse(w http.ResponseWriter, r *http.Request, a act, err error) {
	page := a.page("Nothing was written", sentenceOf(err.Error()))
	page.Failed = true
	s.show(w, r, statusOf(err), page)
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	if bad := (badForm{}); errors.As(err, &bad) {
		return http.StatusBadRequest
	}
	if said := apierrors.APIStatus(nil); errors.As(err, &said) && said.Status().Code >= http.StatusBadRequest {
		return int(said.Status().Code)
	}
	if sent := (*url.Error)(nil); errors.As(err, &sent) {
		return http.StatusServiceUnavailable
	}
	return http.StatusConflict
}

// sentenceOf returns a text with exactly one period at its end.
func sentenceOf(text string) string { return strings.TrimRight(text, ".") + "." }
