/** The agent: publishes the accelerators of a node, their health and their metrics. */
@NullMarked
package dev.claimstream.agent;

import org.jspecify.annotations.NullMarked;
