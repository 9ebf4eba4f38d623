/** Core values through Avro and back. */
@NullMarked
package dev.claimstream.wire;

import org.jspecify.annotations.NullMarked;
