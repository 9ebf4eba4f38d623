/** Compares Claimstream with the allocation by kube-scheduler, on the same control plane. */
@NullMarked
package dev.claimstream.load.beside;

import org.jspecify.annotations.NullMarked;
