/** Topics, serdes, schema registry, embedded broker, stream settings, bad records. */
@NullMarked
package dev.claimstream.kafka;

import org.jspecify.annotations.NullMarked;
