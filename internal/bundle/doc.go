// Package bundle keeps in one file what explain was told about an incident, so that it can be judged again, elsewhere and later.
//
// A bundle holds the objects that the controllers' observers read, not what they made of them: replay puts the same observers over
// them, with the time of the look, so that everything from the reading to the sentence is done once more. What was answered then,
// also that something is not there or may not be read, is answered again. No Secret ever gets in: none is read through a bundle,
// and of each object only those parts are kept that decisions go by.
package bundle
