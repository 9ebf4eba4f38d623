/** The console: serves the committed state over HTTP, and applies changes of a user. */
@NullMarked
package dev.claimstream.console;

import org.jspecify.annotations.NullMarked;
