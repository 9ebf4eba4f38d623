/** What is wrong with manifests, and what can be put right in their text. */
@NullMarked
package dev.claimstream.lint;

import org.jspecify.annotations.NullMarked;
