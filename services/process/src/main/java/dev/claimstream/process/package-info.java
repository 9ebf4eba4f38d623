/** How a service runs as a process of its own. */
@NullMarked
package dev.claimstream.process;

import org.jspecify.annotations.NullMarked;
