/** Log keys, meters and health of every process. */
@NullMarked
package dev.claimstream.observability;

import org.jspecify.annotations.NullMarked;
