@NullMarked
package dev.claimstream.agent.telemetry;

import org.jspecify.annotations.NullMarked;
