/** Starts a real control plane of Kubernetes beside us, of processes without containers: to try things, and for tests. */
@NullMarked
package dev.claimstream.kubernetes.controlplane;

import org.jspecify.annotations.NullMarked;
