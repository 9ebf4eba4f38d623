/** HTTP servers of services that other programs ask: limits, and the host names under which they answer. */
@NullMarked
package dev.claimstream.process.http;

import org.jspecify.annotations.NullMarked;
