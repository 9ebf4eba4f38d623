/** The agent: tells the log what nodes have. */
@NullMarked
package dev.claimstream.agent;

import org.jspecify.annotations.NullMarked;
