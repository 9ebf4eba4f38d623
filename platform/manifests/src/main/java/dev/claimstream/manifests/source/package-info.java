/** A text as a tree of values with their ranges in the text, for tools that edit the text. */
@NullMarked
package dev.claimstream.manifests.source;

import org.jspecify.annotations.NullMarked;
