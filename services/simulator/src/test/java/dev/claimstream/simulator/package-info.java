/** Tests of the simulator. */
@NullMarked
package dev.claimstream.simulator;

import org.jspecify.annotations.NullMarked;
