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

// Redact returns the bundle with other names: each name, namespace, zone, person and address gets the same pseudonym everywhere,
// also in messages. Reasons that people wrote are removed. UIDs, times, versions and names of steps stay. Redact replays the
// result, and returns an error if the decisions differ.
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
		return nil, fmt.Errorf("the bundle cannot be redacted, because the explanation depends on names: %s", other)
	}
	return redacted, nil
}

// unlike returns the first line in which pages differ apart from names; empty if they have the same number of words and the same
// times.
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

// outlines returns the outlines of pages after replacing their names.
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

// outlines returns what does not depend on names: numbers of words, and times. Comparing texts would fail where a name is also
// an ordinary word.
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
