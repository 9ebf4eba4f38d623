/** Tests of the measuring programs. */
@NullMarked
package dev.claimstream.load;

import org.jspecify.annotations.NullMarked;
