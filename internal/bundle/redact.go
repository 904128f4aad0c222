package bundle

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// Redact returns the bundle with other names: each name, namespace, zone, person and address has a pseudonym, the same wherever it
// stands, also in messages. What people have written as a reason goes. UIDs, times, versions and the names of steps stay. It is
// judged anew, and refused if that changes what is decided.
func (b *Bundle) Redact(ctx context.Context, scheme *runtime.Scheme) (*Bundle, error) {
	tree, err := treeOf(b)
	if err != nil {
		return nil, err
	}
	delete(tree, "pages")
	r := newRedactor(tree)
	data, err := json.Marshal(r.redact("", tree))
	if err != nil {
		return nil, fmt.Errorf("redacting a bundle: %w", err)
	}
	redacted, err := Unmarshal(data)
	if err != nil {
		return nil, err
	}
	redacted.Redacted = true
	if redacted.Pages, err = Replay(ctx, redacted, scheme); err != nil {
		return nil, err
	}
	if other := r.unlike(b.Pages, redacted.Pages); other != "" {
		return nil, fmt.Errorf("with other names, something else would be said, so the bundle cannot be redacted: %s", other)
	}
	return redacted, nil
}

// unlike is what pages say otherwise, apart from the names; empty if they say the same: as many words, at the same times.
func (r *redactor) unlike(before, after []explain.Page) string {
	a, b := r.outlines(before), outlines(after)
	for i, line := range b {
		if i >= len(a) || a[i] != line {
			return line
		}
	}
	if len(b) < len(a) {
		return a[len(b)]
	}
	return ""
}

// outlines are pages after their names have been replaced.
func (r *redactor) outlines(pages []explain.Page) []string {
	others := slices.Clone(pages)
	for i := range others {
		page := &others[i]
		page.Headline, page.Rows, page.Next = r.text(page.Headline), slices.Clone(page.Rows), slices.Clone(page.Next)
		for j := range page.Rows {
			page.Rows[j].Text = r.text(page.Rows[j].Text)
		}
		for j := range page.Next {
			page.Next[j].What = r.text(page.Next[j].What)
		}
	}
	return outlines(others)
}

// outlines are what stays of pages whatever the names are. A name that is a word, too, is replaced in more places than one.
func outlines(pages []explain.Page) []string {
	var all []string
	for _, page := range pages {
		all = append(all, fmt.Sprint(page.Kind, page.State, len(strings.Fields(page.Headline))))
		for _, row := range page.Rows {
			all = append(all, fmt.Sprint(row.Label, len(strings.Fields(row.Text))))
		}
		for _, next := range page.Next {
			all = append(all, fmt.Sprint(next.At.UTC(), len(strings.Fields(next.What))))
		}
	}
	return all
}
