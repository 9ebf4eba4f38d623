/** Tests of the console. */
@NullMarked
package dev.claimstream.console;

import org.jspecify.annotations.NullMarked;
