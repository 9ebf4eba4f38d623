/** A REST API over what was decided, from committed records. */
@NullMarked
package dev.claimstream.console;

import org.jspecify.annotations.NullMarked;
