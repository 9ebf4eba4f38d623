@NullMarked
package dev.claimstream.kafka.registry;

import org.jspecify.annotations.NullMarked;
