package explain

// Exported for tests in other packages, which compare with these words.
var (
	Message = (*Record).message
	Answers = (*Record).answers
)
