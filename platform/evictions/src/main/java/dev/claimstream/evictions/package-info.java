/** The effect of device taints on running pods: the device taint eviction controller of Kubernetes as a pure function. */
@NullMarked
package dev.claimstream.evictions;

import org.jspecify.annotations.NullMarked;
