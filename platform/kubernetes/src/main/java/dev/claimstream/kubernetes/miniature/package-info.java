/** Kubernetes in miniature: as much of an API server and of the resourceclaim controller as {@code claimstream up} needs. */
@NullMarked
package dev.claimstream.kubernetes.miniature;

import org.jspecify.annotations.NullMarked;
