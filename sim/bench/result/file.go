package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Save writes a report into a file. What was measured is kept even if it is not valid, as it took long to measure:
// the error then says what is wrong with it.
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

// Load reads a report from a file. It is valid.
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

// Read reads a report. It is valid.
func Read(from io.Reader) (Report, error) {
	decoder := json.NewDecoder(from)
	decoder.DisallowUnknownFields() // A misspelt field would be a figure that is silently zero.
	var r Report
	if err := decoder.Decode(&r); err != nil {
		return Report{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Report{}, errors.New("there is more after the report")
	}
	return r, r.Validate()
}
