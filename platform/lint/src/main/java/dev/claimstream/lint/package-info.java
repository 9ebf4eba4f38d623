/** Finds mistakes in manifests, and corrects those that can be corrected in the text. */
@NullMarked
package dev.claimstream.lint;

import org.jspecify.annotations.NullMarked;
