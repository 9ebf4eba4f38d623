/** Programs that measure and print a table; they are not tests. */
@NullMarked
package dev.claimstream.load;

import org.jspecify.annotations.NullMarked;
