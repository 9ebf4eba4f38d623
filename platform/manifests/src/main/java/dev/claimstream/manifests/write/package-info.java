/** Objects to trees that print as {@code kubectl get -o yaml} would print them. */
@NullMarked
package dev.claimstream.manifests.write;

import org.jspecify.annotations.NullMarked;
