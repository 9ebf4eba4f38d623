/**
 * A test oracle for the solver: a naive reimplementation of upstream's allocator.
 *
 * <p>It shares no code with the solver.
 */
@NullMarked
package dev.claimstream.allocation.oracle;

import org.jspecify.annotations.NullMarked;
