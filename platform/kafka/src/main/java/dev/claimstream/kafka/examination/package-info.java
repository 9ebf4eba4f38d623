/** What {@code claimstream doctor} reads from a Kafka cluster. Nothing here changes the cluster. */
@NullMarked
package dev.claimstream.kafka.examination;

import org.jspecify.annotations.NullMarked;
