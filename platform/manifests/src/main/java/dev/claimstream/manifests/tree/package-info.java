/** Parses YAML and JSON into trees with locations, within limits, and writes trees; independent of Kubernetes. */
@NullMarked
package dev.claimstream.manifests.tree;

import org.jspecify.annotations.NullMarked;
