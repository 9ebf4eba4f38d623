/** What the taints of devices do to pods that run: the device taint eviction controller of Kubernetes, without its clock. */
@NullMarked
package dev.claimstream.evictions;

import org.jspecify.annotations.NullMarked;
