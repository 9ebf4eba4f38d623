/**
 * Kafka as this system uses it: topics, keys, partitions, serdes, settings and what happens to records that cannot be read. Knows
 * no rule about devices or claims.
 */
@NullMarked
package dev.claimstream.kafka;

import org.jspecify.annotations.NullMarked;
