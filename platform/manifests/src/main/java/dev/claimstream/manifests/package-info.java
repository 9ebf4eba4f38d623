/** YAML and JSON of every API version to the vocabulary and back, with places and findings. */
@NullMarked
package dev.claimstream.manifests;

import org.jspecify.annotations.NullMarked;
