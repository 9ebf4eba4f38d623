/** Logging, meters and health of the processes. */
@NullMarked
package dev.claimstream.observability;

import org.jspecify.annotations.NullMarked;
