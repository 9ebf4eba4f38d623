/**
 * Topics, keys, partitions, serdes, client settings and bad records.
 *
 * <p>The package knows no rule about devices or claims.
 */
@NullMarked
package dev.claimstream.kafka;

import org.jspecify.annotations.NullMarked;
