/** Compares the status that was decided for a claim with the status that the server stored. */
@NullMarked
package dev.claimstream.kubernetes.status;

import org.jspecify.annotations.NullMarked;
