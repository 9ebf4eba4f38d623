/** The operations that the services need of a cluster, independent of its implementation. */
@NullMarked
package dev.claimstream.kubernetes;

import org.jspecify.annotations.NullMarked;
