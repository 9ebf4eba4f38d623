@NullMarked
package dev.claimstream.agent.streams;

import org.jspecify.annotations.NullMarked;
