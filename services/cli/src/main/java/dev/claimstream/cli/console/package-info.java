/** The client of the console of a running Claimstream, and the options that select it. */
@NullMarked
package dev.claimstream.cli.console;

import org.jspecify.annotations.NullMarked;
