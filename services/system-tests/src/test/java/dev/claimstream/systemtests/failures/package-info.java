/** Tests with killed processes, repeated records, outages and a full disk. */
@NullMarked
package dev.claimstream.systemtests.failures;

import org.jspecify.annotations.NullMarked;
