package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
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
	r, err := Read(file)
	if err != nil {
		return Report{}, fmt.Errorf("reading report %s: %w", path, err)
	}
	return r, nil
}

// Read reads and validates a report.
func Read(from io.Reader) (Report, error) {
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
