@NullMarked
package dev.claimstream.kafka.contracts;

import org.jspecify.annotations.NullMarked;
