/** The simulator: a process that follows the log, and answers what would happen if the cluster changed. */
@NullMarked
package dev.claimstream.simulator;

import org.jspecify.annotations.NullMarked;
