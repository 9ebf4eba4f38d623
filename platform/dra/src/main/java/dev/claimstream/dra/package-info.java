/**
 * The words of Dynamic Resource Allocation ({@code resource.k8s.io/v1} and the parts of {@code core/v1} that decide where a claim
 * fits) as checked, immutable values. Field names and meanings are those of the Kubernetes API.
 */
@NullMarked
package dev.claimstream.dra;

import org.jspecify.annotations.NullMarked;
