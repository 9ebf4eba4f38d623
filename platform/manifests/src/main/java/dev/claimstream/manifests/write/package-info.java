/** Converts objects to trees that print like {@code kubectl get -o yaml}. */
@NullMarked
package dev.claimstream.manifests.write;

import org.jspecify.annotations.NullMarked;
