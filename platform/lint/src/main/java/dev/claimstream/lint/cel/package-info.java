/** A partial CEL parser that locates mistakes in expressions and corrects them without changes to the rest of the text. */
@NullMarked
package dev.claimstream.lint.cel;

import org.jspecify.annotations.NullMarked;
