/** A text as a tree that knows where in the text every part begins and ends, for those who change the text. */
@NullMarked
package dev.claimstream.manifests.source;

import org.jspecify.annotations.NullMarked;
