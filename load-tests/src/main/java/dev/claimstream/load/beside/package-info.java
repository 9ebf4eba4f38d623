/** Claimstream beside the stock scheduler allocating by itself, on the same control plane. */
@NullMarked
package dev.claimstream.load.beside;

import org.jspecify.annotations.NullMarked;
