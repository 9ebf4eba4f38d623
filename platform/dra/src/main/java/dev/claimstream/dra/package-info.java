/**
 * The domain model of Dynamic Resource Allocation as validated, immutable values.
 *
 * <p>It covers {@code resource.k8s.io/v1} and the parts of {@code core/v1} that affect allocation. Names and semantics of fields are those
 * of the Kubernetes API.
 */
@NullMarked
package dev.claimstream.dra;

import org.jspecify.annotations.NullMarked;
