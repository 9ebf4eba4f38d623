/** Text in YAML or JSON to trees with places and back, within limits; it knows nothing of Kubernetes. */
@NullMarked
package dev.claimstream.manifests.tree;

import org.jspecify.annotations.NullMarked;
