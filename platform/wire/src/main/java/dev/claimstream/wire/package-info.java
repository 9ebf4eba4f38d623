/** Converts between Avro records and core values. No other code depends on both. */
@NullMarked
package dev.claimstream.wire;

import org.jspecify.annotations.NullMarked;
