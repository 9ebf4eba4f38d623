/** The command {@code claimstream}: the one place that puts all services together. */
@NullMarked
package dev.claimstream.cli;

import org.jspecify.annotations.NullMarked;
