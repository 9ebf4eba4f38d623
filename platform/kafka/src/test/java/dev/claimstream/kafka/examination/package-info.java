@NullMarked
package dev.claimstream.kafka.examination;

import org.jspecify.annotations.NullMarked;
