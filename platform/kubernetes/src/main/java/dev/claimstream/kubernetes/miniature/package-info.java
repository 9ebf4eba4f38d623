/** Simulated cluster: the part of an API server and of the resourceclaim controller that {@code claimstream up} needs. */
@NullMarked
package dev.claimstream.kubernetes.miniature;

import org.jspecify.annotations.NullMarked;
