// Package build makes the objects that tests need, in one line each.
//
// It is part of internal/testing. Every builder returns an object that the API server accepts, in its
// ordinary, healthy state; options say how it differs:
//
//	build.Machine(ns, "m1", build.NodeRef("node1"), build.Annotation("a", "b"))
//
// An Option fits every kind. The options of one kind only are MachineFuncs, ClusterFuncs and so on,
// and a literal of such a type is good for whatever no option exists for. Later options win.
//
// Create stores objects together with their status.
package build
