/**
 * Finds a node and devices for a work item, or the reason why none fits. A complete search with counted work runs once
 * per equivalence class of nodes.
 */
@NullMarked
package dev.claimstream.allocation.solver;

import org.jspecify.annotations.NullMarked;
