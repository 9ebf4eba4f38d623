/**
 * Where a work item fits and which devices it gets: a complete search over the shapes of nodes, with counted effort. Nodes that look
 * alike to a question are solved once.
 */
@NullMarked
package dev.claimstream.allocation.solver;

import org.jspecify.annotations.NullMarked;
