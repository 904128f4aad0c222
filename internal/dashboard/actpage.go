package dashboard

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
	"github.com/sickbay-dev/sickbay/internal/preview"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// actPage is a page about what an action would do, or about its result.
type actPage struct {
	Title string
	// Said is the result, or why the person is asked again; empty for the first question.
	Said string
	// Lines describe what it would do.
	Lines []preview.Line
	// Verb and Form make up the form that confirms; without them, there is nothing to confirm.
	Verb string
	Form []Field
	// Back is the page of the object, and About its name; empty for the first page.
	Back, About string
	// Failed reports that the action was requested but nothing was written.
	Failed bool
}

func (a act) page(title, said string) actPage {
	page := actPage{Title: title, Said: said, Back: "/"}
	if section, ok := sections[a.kind]; ok && a.namespace != "" && a.name != "" {
		page.Back = linkURL(view.Link{Section: section, Namespace: a.namespace, Name: a.name})
		page.About = a.kind + "/" + a.name
	}
	return page
}

// Field is a hidden field of a form.
type Field struct{ Name, Value string }

// asked returns the fields of the form that confirms.
func (a act) asked(c *useractions.Change) []Field {
	fields := []Field{{"namespace", a.namespace}, {"object", a.kind + "/" + a.name}, {"reason", a.reason}, {"step", c.Step}, {"seen", c.Seen()}}
	if a.verb == verbHold {
		fields = append(fields, Field{"until", a.until.Format(time.RFC3339)})
	}
	return slices.DeleteFunc(fields, func(f Field) bool { return f.Value == "" })
}
