/** Verifies, archives and reads the recorded log of the cells. No type of this package depends on Kafka. */
@NullMarked
package dev.claimstream.audit;

import org.jspecify.annotations.NullMarked;
