@NullMarked
package dev.claimstream.agent.devices;

import org.jspecify.annotations.NullMarked;
