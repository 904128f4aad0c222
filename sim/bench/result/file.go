package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Save writes a report to a file. It writes even an invalid report, because measuring took long; the error then
// says what is wrong with it.
func (r Report) Save(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("writing report %s: %w", path, err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing report: %w", err)
	}
	if err := r.Validate(); err != nil {
		return fmt.Errorf("report %s was written, and is not valid: %w", path, err)
	}
	return nil
}

// Load reads and validates a report from a file.
func Load(path string) (Report, error) {
	file, err := os.Open(path)
	if err != nil {
		return Report{}, fmt.Errorf("reading report: %w", err)
	}
	defer func() { _ = file.Close() }()
	r, err := read(file)
	if err != nil {
		return Report{}, fmt.Errorf("reading report %s: %w", path, err)
	}
	return r, nil
}

// read decodes and validates a report.
func read(from io.Reader) (Report, error) {
	decoder := json.NewDecoder(from)
	decoder.DisallowUnknownFields() // A misspelt field would silently be a zero figure.
	var r Report
	if err := decoder.Decode(&r); err != nil {
		return Report{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Report{}, errors.New("there is more after the report")
	}
	return r, r.Validate()
}

// Validate returns the first error in a report.
func (r Report) Validate() error {
	if r.Time.IsZero() {
		return errors.New("it has no time")
	}
	type key struct {
		Measure
		Fleet
		Subject
	}
	seen := map[key]bool{}
	for _, figure := range r.Figures {
		if err := figure.validate(); err != nil {
			return fmt.Errorf("%s: %w", figure, err)
		}
		k := key{figure.Measure, figure.Fleet, figure.Subject}
		if seen[k] {
			return fmt.Errorf("%s: it is there twice", figure)
		}
		seen[k] = true
	}
	return nil
}

func (f Figure) validate() error {
	if _, ok := Describe(f.Measure); !ok {
		return errors.New("nobody knows this measure")
	}
	if !slices.Contains(Subjects(), f.Subject) {
		return errors.New("nobody knows this subject")
	}
	if f.Fleet.Clusters < 1 || f.Fleet.Machines < 1 || f.Fleet.Large < 0 {
		return errors.New("the fleet is empty")
	}
	if len(f.Values) == 0 {
		return errors.New("it has no values")
	}
	for _, value := range f.Values {
		if !isValue(value) {
			return fmt.Errorf("%v is no value", value)
		}
	}
	return nil
}
