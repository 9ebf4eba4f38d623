/** The agent on Kafka: what it says, and who is not heard any more. */
@NullMarked
package dev.claimstream.agent.streams;

import org.jspecify.annotations.NullMarked;
