/** Simulations on the state of a cell, and the requirements that each device fails, for people and programs. */
@NullMarked
package dev.claimstream.simulation;

import org.jspecify.annotations.NullMarked;
