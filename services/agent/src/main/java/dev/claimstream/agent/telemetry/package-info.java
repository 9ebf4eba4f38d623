/** What the exporters of a node measure. */
@NullMarked
package dev.claimstream.agent.telemetry;

import org.jspecify.annotations.NullMarked;
