/** Metrics of the exporters of a node. */
@NullMarked
package dev.claimstream.agent.telemetry;

import org.jspecify.annotations.NullMarked;
