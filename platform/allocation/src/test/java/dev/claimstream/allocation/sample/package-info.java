/** Short texts for devices, claims and clusters, so that a test shows what it is about and nothing else. */
@NullMarked
package dev.claimstream.allocation.sample;

import org.jspecify.annotations.NullMarked;
