package manifest

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// Document is one document of a YAML stream.
type Document struct {
	File string
	// Line is the line of the file at which Text begins.
	Line int
	// Text is the document as written, including the line that separates it from the previous one.
	Text string
	// Root is the node of the document; nil if there are only comments. Its line numbers are those of the file.
	Root *yaml.Node
	// Objects are the objects of the document: one, or those that it holds in a list.
	Objects []Object
}

// SyntaxError means that a text is not YAML.
type SyntaxError struct {
	File    string
	Line    int
	Message string
	// Template is set if the text is no YAML because a tool has to render it first.
	Template *Template

	document *Document
}

// Error implements error.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// Text returns the document as written.
func (e *SyntaxError) Text() string { return e.document.Text }

// Parse splits a stream into documents. Their texts, joined, are the stream again. A document that is not YAML has no objects,
// and an error names it; the others are read all the same.
func Parse(file string, data []byte) (documents []*Document, problems []*SyntaxError) {
	line := 1
	for _, text := range split(string(data)) {
		document := &Document{File: file, Line: line, Text: text}
		if err := document.parse(); err != nil {
			err.document, err.Template = document, document.template()
			problems = append(problems, err)
		}
		documents = append(documents, document)
		line += strings.Count(text, "\n")
	}
	return documents, problems
}

var separator = regexp.MustCompile(`^---(\s|$)`)

// split cuts a stream before each line "---". Directives such as %YAML stay with their document.
func split(stream string) (texts []string) {
	begin, at, directives := 0, 0, false
	for line := range strings.SplitAfterSeq(stream, "\n") {
		if separator.MatchString(line) && at > begin && !directives {
			texts = append(texts, stream[begin:at])
			begin = at
		}
		comment := strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#")
		directives = strings.HasPrefix(line, "%") && (at == begin || directives) || comment && directives
		at += len(line)
	}
	return append(texts, stream[begin:])
}

// atLine matches the line number in a parser's message.
var atLine = regexp.MustCompile(`^line (\d+): `)

func (d *Document) parse() *SyntaxError {
	root := &yaml.Node{}
	decoder := yaml.NewDecoder(strings.NewReader(strings.ReplaceAll(d.Text, "\r\n", "\n")))
	if err := decoder.Decode(root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return d.syntaxError(err)
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return &SyntaxError{File: d.File, Line: d.Line, Message: "a document must begin with a line ---"}
	}
	if nodes := count(root, maxNodes); nodes > maxNodes {
		return &SyntaxError{File: d.File, Line: d.Line, Message: fmt.Sprintf("the document has more than %d values", maxNodes)}
	}
	shift(root, d.Line-1)
	d.Root = root
	if err := d.findObjects(); err != nil {
		return d.syntaxError(err)
	}
	return nil
}

// parserProblems matches the parser messages whose line number is one too low.
var parserProblems = regexp.MustCompile(`^did not find expected (<|node content|key|'-' indicator|',' or)`)

// syntaxError converts the parser's line, which counts from the start of the document, to a line of the file. Of the two parsers,
// the older one reports the line of the problem, the other one the line of what contains it.
func (d *Document) syntaxError(err error) *SyntaxError {
	if _, older := sigsyaml.YAMLToJSON([]byte(d.Text)); older != nil {
		err = older
	}
	said := err.Error()
	for _, prefix := range []string{"error converting YAML to JSON: ", "yaml: "} {
		said = strings.TrimPrefix(said, prefix)
	}
	problem := &SyntaxError{File: d.File, Line: d.Line, Message: said}
	if found := atLine.FindStringSubmatch(said); found != nil {
		n, _ := strconv.Atoi(found[1])
		problem.Message = strings.TrimPrefix(said, found[0])
		if !parserProblems.MatchString(problem.Message) {
			n--
		}
		problem.Line += min(n, strings.Count(strings.TrimRight(d.Text, "\n"), "\n"))
	}
	problem.Message = strings.Join(strings.Fields(problem.Message), " ")
	return problem
}

// Has reports whether a problem is one of the document.
func (d *Document) Has(problem *SyntaxError) bool { return problem.document == d }

// maxNodes limits how far aliases may expand a document.
const maxNodes = 100_000

// count counts the values below a node, each alias again, and stops just above the maximum.
func count(n *yaml.Node, most int) int {
	total := 1
	if most < 0 {
		return total
	}
	if n.Kind == yaml.AliasNode {
		return total + count(n.Alias, most-total)
	}
	for _, child := range n.Content {
		if total > most {
			return total
		}
		total += count(child, most-total)
	}
	return total
}

func shift(n *yaml.Node, lines int) {
	n.Line += lines
	for _, child := range n.Content {
		shift(child, lines)
	}
}
