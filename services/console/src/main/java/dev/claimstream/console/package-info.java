/** The console: shows over HTTP what was decided, from committed records, and passes on what a user changes. */
@NullMarked
package dev.claimstream.console;

import org.jspecify.annotations.NullMarked;
