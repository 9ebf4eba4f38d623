/** Expressions as they are written: enough of CEL to name a mistake at its place and to put it right without touching the rest. */
@NullMarked
package dev.claimstream.lint.cel;

import org.jspecify.annotations.NullMarked;
