/** A cluster behind a Kubernetes API server. */
@NullMarked
package dev.claimstream.kubernetes.api;

import org.jspecify.annotations.NullMarked;
