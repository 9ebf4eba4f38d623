/** Programs that measure and print a table; none of them is a test. */
@NullMarked
package dev.claimstream.load;

import org.jspecify.annotations.NullMarked;
