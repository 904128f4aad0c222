package mask

import (
	"bytes"
	"io"
	"regexp"
)

// masked replaces what was removed.
const masked = "***"

// secrets are the patterns to remove, with what remains of each: the password in an address, what follows the scheme of an Authorization header, a
// token that is recognizable as one, and a private key. A secret that is cut off ends with its quotation or with the text.
var secrets = []struct {
	// sign occurs in every text with such a secret, in any case. Most texts contain no sign, and so need no pattern.
	sign    []byte
	pattern *regexp.Regexp
	left    []byte
}{
	{[]byte("://"), regexp.MustCompile(`(://[^\s/:@"'<>\\]*):[^\s/"'<>\\]+@`), []byte("$1:" + masked + "@")},
	// A slash in a password is an error that others make, and Go's errors quote such addresses. A port before a path has only digits.
	{[]byte("://"), regexp.MustCompile(`(://[^\s/:@"'<>\\\[]*):[0-9]*[^\s/:@"'<>\\0-9*][^\s"'<>\\]*@`), []byte("$1:" + masked + "@")},
	{[]byte("invalid port"), regexp.MustCompile(`(invalid port \\?")[^"\\]*`), []byte("${1}" + masked)},
	{[]byte("uthorization"), regexp.MustCompile(`(?i)(\bauthorization["']?[:=] ?["']?(?:bearer|basic)(?: |%20)+)[^\s"',;<>\\]+`), []byte("${1}" + masked)},
	{[]byte("earer"), regexp.MustCompile(`(?i)(\bbearer(?: |%20)+)[a-z0-9._~+/-]{16,}=*`), []byte("${1}" + masked)},
	{[]byte("asic"), regexp.MustCompile(`(?i)(\bbasic(?: |%20)+)[a-z0-9+/-]{16,}=*`), []byte("${1}" + masked)},
	{[]byte("eyJ"), regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`), []byte(masked)},
	{[]byte("PRIVATE KEY"), regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?(?:-----END [A-Z ]*PRIVATE KEY-----|("|\n?$))`), []byte(masked + "$1")},
}

// Text returns a text with *** in place of each password, token and private key that it recognizes.
func Text(text string) string { return string(maskAll([]byte(text))) }

func maskAll(text []byte) []byte {
	for _, s := range secrets {
		if contains(text, s.sign) {
			text = s.pattern.ReplaceAll(text, s.left)
		}
	}
	return text
}

// contains reports whether text contains sign, in any case.
func contains(text, sign []byte) bool {
	for ; len(text) >= len(sign); text = text[1:] {
		if bytes.EqualFold(text[:len(sign)], sign) {
			return true
		}
	}
	return false
}

// Writer masks what is written to W. Each Write is a separate text, as loggers write their entries.
type Writer struct{ W io.Writer }

// Write implements io.Writer.
func (w Writer) Write(p []byte) (int, error) {
	if _, err := w.W.Write(maskAll(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Tree masks the texts in a decoded JSON or YAML value.
func Tree(tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		for key := range tree {
			tree[key] = Tree(tree[key])
		}
	case []any:
		for i := range tree {
			tree[i] = Tree(tree[i])
		}
	case string:
		return Text(tree)
	}
	return tree
}
