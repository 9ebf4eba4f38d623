/** Random clusters and claims over all features, as manifests; one seed gives one problem. */
@NullMarked
package dev.claimstream.scenarios.random;

import org.jspecify.annotations.NullMarked;
