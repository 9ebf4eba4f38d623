/** Tests of simulations and device reports. */
@NullMarked
package dev.claimstream.simulation;

import org.jspecify.annotations.NullMarked;
