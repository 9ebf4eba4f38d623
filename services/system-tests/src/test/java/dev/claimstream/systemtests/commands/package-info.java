/** Tests of whole commands: arguments, output and exit codes. */
@NullMarked
package dev.claimstream.systemtests.commands;

import org.jspecify.annotations.NullMarked;
