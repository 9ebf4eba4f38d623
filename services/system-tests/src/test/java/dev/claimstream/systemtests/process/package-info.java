/** Processes of the shipped jars, commands in the process of the test, and waits for their results. */
@NullMarked
package dev.claimstream.systemtests.process;

import org.jspecify.annotations.NullMarked;
