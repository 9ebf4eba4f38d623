/** What a node has: accelerators on its PCI bus, and the slices that say so. */
@NullMarked
package dev.claimstream.agent.devices;

import org.jspecify.annotations.NullMarked;
