/** Tests of {@code claimstream up} without Kubernetes, and of each service as a separate process. */
@NullMarked
package dev.claimstream.systemtests.up;

import org.jspecify.annotations.NullMarked;
