// Package dashboard is the web page: it shows what sickbay status, explain, history and simulate say, with drawings, and stays
// up to date.
//
// Package view makes each page from one look at the fleet, which all viewers share. The dashboard itself only reads; Actions
// carry out forms, with the rights of the person who sends them. Pages load nothing from elsewhere, and everything except live
// updates works without JavaScript.
package dashboard
