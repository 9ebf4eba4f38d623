/** A cluster behind a Kubernetes API server: list, watch, status writes, gates, Events and the lease of the log. */
@NullMarked
package dev.claimstream.kubernetes.api;

import org.jspecify.annotations.NullMarked;
