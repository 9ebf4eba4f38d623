@NullMarked
package dev.claimstream.kafka.broker;

import org.jspecify.annotations.NullMarked;
