package bundle

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// redactor replaces names in a tree.
type redactor struct {
	names map[string]string
	// texts are free texts by people, and phrases are names that are not a single word in a sentence.
	texts, phrases []string
	// values are pseudonyms of label values, and addresses those of network addresses.
	values, addresses map[string]string
}

func newRedactor(tree map[string]any) *redactor {
	n := &names{class: map[string]int{}, records: map[string]string{}, texts: map[string]bool{}}
	n.find("", tree)
	asked, _ := tree["asked"].(map[string]any)
	if name, _ := asked["name"].(string); name != "" {
		if _, known := n.class[name]; !known {
			n.add(name, classOther)
		}
	}
	// Longest first: one may be part of another.
	longest := func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }
	r := &redactor{names: n.pseudonyms(), texts: slices.SortedFunc(maps.Keys(n.texts), longest), values: map[string]string{}, addresses: map[string]string{}}
	for _, name := range slices.SortedFunc(maps.Keys(r.names), longest) {
		if words.FindString(name) != name {
			r.phrases = append(r.phrases, name)
		}
	}
	return r
}

// fixed are the fields whose values are never names.
var fixed = map[string]bool{
	"apiVersion": true, "apiGroup": true, "kind": true, "uid": true, "type": true, "status": true, "phase": true, "operationID": true, "key": true, "operator": true,
	"version": true, "resourceVersion": true, "manager": true, "fieldsType": true, "fieldsV1": true, "finalizers": true, "action": true, "approval": true,
	"doneWhen": true, "mode": true, "answer": true, "result": true, "step": true, "adopt": true, "assumed": true, "gracePeriod": true, "domains": true, "watchFilter": true,
	"startAt": true, "stoppedBy": true,
}

// redact replaces the names in a tree, in place.
func (r *redactor) redact(field string, tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			tree[key] = r.in(field, key, tree[key])
		}
		return tree
	case []any:
		for i := range tree {
			tree[i] = r.redact(field, tree[i])
		}
		return tree
	case string:
		return r.text(tree)
	}
	return tree
}

// in redacts the value of a field.
func (r *redactor) in(object, field string, value any) any {
	text, _ := value.(string)
	switch {
	case object == "labels" || object == "matchLabels":
		return r.label(field, text)
	case object == "matchExpressions" && field == "values":
		return r.anyOf(value)
	case fixed[field] && flat(value), field == "fieldsV1", field == "name" && (object == "steps" || object == "rules"):
		return value
	}
	return r.redact(field, value)
}

// flat reports whether a value is a string or a list of strings.
func flat(value any) bool {
	all, isList := value.([]any)
	_, isText := value.(string)
	return isText || isList && !slices.ContainsFunc(all, func(one any) bool { return !flat(one) })
}

// label replaces the value of a label. Sickbay's own labels contain only UIDs and fixed words.
func (r *redactor) label(key, value string) string {
	domain, _, _ := strings.Cut(key, "/")
	if domain == "sickbay.dev" || key == "cluster.x-k8s.io/watch-filter" {
		return value
	}
	return r.value(value)
}

func (r *redactor) anyOf(values any) any {
	all, _ := values.([]any)
	for i := range all {
		text, _ := all[i].(string)
		all[i] = r.value(text)
	}
	return values
}

func (r *redactor) value(value string) string {
	if other, known := r.names[value]; known {
		return other
	}
	if _, err := strconv.ParseBool(value); value == "" || err == nil {
		return value
	}
	return pseudonym(r.values, value, "value")
}

// pseudonym returns the same pseudonym for the same name.
func pseudonym(of map[string]string, name, word string) string {
	if _, known := of[name]; !known {
		of[name] = fmt.Sprintf("%s-%d", word, len(of)+1)
	}
	return of[name]
}

// words matches anything in a sentence that can be a name.
var words = regexp.MustCompile(`[a-zA-Z0-9][-a-zA-Z0-9._@:]*`)

// text replaces the names in a sentence.
func (r *redactor) text(text string) string {
	if other, known := r.names[text]; known {
		return other
	}
	if _, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return text
	}
	for _, written := range r.texts {
		text = strings.ReplaceAll(text, written, "(redacted)")
	}
	for _, name := range r.phrases {
		text = strings.ReplaceAll(text, name, r.names[name])
	}
	return words.ReplaceAllStringFunc(text, r.word)
}

func (r *redactor) word(word string) string {
	name := strings.TrimRight(word, "-._@:")
	end := word[len(name):]
	if other, known := r.names[name]; known {
		return other + end
	}
	if isAddress(name) {
		return pseudonym(r.addresses, name, "address") + end
	}
	if i := strings.IndexAny(name, ":@"); i >= 0 {
		return r.word(name[:i]) + name[i:i+1] + r.words(name[i+1:]) + end
	}
	// An object that was created for another one begins with its name.
	for i := strings.LastIndexByte(name, '-'); i > 0; i = strings.LastIndexByte(name[:i], '-') {
		if other, known := r.names[name[:i]]; known {
			return other + name[i:] + end
		}
	}
	return word
}

func (r *redactor) words(text string) string { return words.ReplaceAllStringFunc(text, r.word) }

// hostname matches hosts with a domain. isAddress excludes paths of fields.
var hostname = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)+[a-z]{2,}$`)

// notHosts matches API groups, annotation domains and paths of fields, which look like hostnames.
var notHosts = regexp.MustCompile(`(^|[.-])(k8s\.io|sickbay\.dev|metal3\.io|openshift\.io|medik8s\.io|kubernetes\.io)$|^(spec|status|metadata)\.`)

// isAddress reports whether a word is an IP or hardware address or a hostname, with or without a port.
func isAddress(word string) bool {
	host := word
	if h, port, err := net.SplitHostPort(word); err == nil {
		if _, err := strconv.Atoi(port); err == nil {
			host = h
		}
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	if _, err := net.ParseMAC(word); err == nil && strings.Count(word, ":")+strings.Count(word, "-")+strings.Count(word, ".") > 1 {
		return true
	}
	return hostname.MatchString(host) && !notHosts.MatchString(host)
}
