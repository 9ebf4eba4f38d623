/** The whole decision: solver and cell as pure state machines. */
@NullMarked
package dev.claimstream.allocation;

import org.jspecify.annotations.NullMarked;
