/** The topics of the agent: slices and heartbeats that it publishes, and the detection of silent nodes. */
@NullMarked
package dev.claimstream.agent.streams;

import org.jspecify.annotations.NullMarked;
