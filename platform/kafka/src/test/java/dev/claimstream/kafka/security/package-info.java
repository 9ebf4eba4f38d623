@NullMarked
package dev.claimstream.kafka.security;

import org.jspecify.annotations.NullMarked;
