// Package dashboard is the web page: what sickbay status, explain, history and simulate say, drawn and kept up to date.
//
// Each page is made by package view out of one look at the fleet, which all who watch share. It reads only; what a form does is
// done by Actions, with the rights of the person who asks. Nothing is loaded from elsewhere, and all but the live updates works
// without JavaScript.
package dashboard
