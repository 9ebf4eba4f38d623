/** Tests of what is told of runs beside each other. */
@NullMarked
package dev.claimstream.load.beside;

import org.jspecify.annotations.NullMarked;
