/** Output of the commands: tables, progress, formats and error messages. */
@NullMarked
package dev.claimstream.cli.output;

import org.jspecify.annotations.NullMarked;
