/**
 * Upstream's allocator written down once more, as plainly as its description, to test the solver against. It shares no code with
 * what it tests.
 */
@NullMarked
package dev.claimstream.allocation.oracle;

import org.jspecify.annotations.NullMarked;
