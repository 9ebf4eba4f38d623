/** Short texts for devices, claims and objects of a cluster, so that a test shows only what matters to it. */
@NullMarked
package dev.claimstream.allocation.sample;

import org.jspecify.annotations.NullMarked;
