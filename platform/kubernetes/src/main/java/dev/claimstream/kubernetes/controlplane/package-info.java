/** Starts a real Kubernetes control plane of processes without containers, for experiments and tests. */
@NullMarked
package dev.claimstream.kubernetes.controlplane;

import org.jspecify.annotations.NullMarked;
