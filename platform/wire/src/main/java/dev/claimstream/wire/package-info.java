/** Avro to core values and back; the only code that knows both. */
@NullMarked
package dev.claimstream.wire;

import org.jspecify.annotations.NullMarked;
