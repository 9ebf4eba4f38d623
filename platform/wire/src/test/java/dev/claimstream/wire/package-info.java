/** Tests of the conversion between core values and Avro records. */
@NullMarked
package dev.claimstream.wire;

import org.jspecify.annotations.NullMarked;
