/** Runs a service as a separate process. */
@NullMarked
package dev.claimstream.process;

import org.jspecify.annotations.NullMarked;
