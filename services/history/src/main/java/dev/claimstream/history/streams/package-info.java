/** Reads inputs and ledger of a log as inputs of the fold. */
@NullMarked
package dev.claimstream.history.streams;

import org.jspecify.annotations.NullMarked;
