/** Random clusters and claims over all features, as manifests; a seed identifies a problem. */
@NullMarked
package dev.claimstream.scenarios.random;

import org.jspecify.annotations.NullMarked;
