// Package build makes the objects that tests need, in one line each.
//
// It is part of internal/testing. Every builder returns an object that the API server accepts, in its
// ordinary, healthy state; options change it:
//
//	build.Machine(ns, "m1", build.NodeRef("node1"), build.Annotation("a", "b"))
//
// An Option fits every kind. Options of a single kind are MachineFuncs, ClusterFuncs and so on; write a
// literal of such a type if no option exists. Later options win.
//
// Create stores objects together with their status.
package build
