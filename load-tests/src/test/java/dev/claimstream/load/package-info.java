/** Tests of the programs that measure. */
@NullMarked
package dev.claimstream.load;

import org.jspecify.annotations.NullMarked;
