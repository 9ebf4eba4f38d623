/** Tests of the command line, from the view of a user. */
@NullMarked
package dev.claimstream.cli;

import org.jspecify.annotations.NullMarked;
