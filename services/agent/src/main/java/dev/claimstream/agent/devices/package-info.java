/** The accelerators on the PCI bus of a node, and their ResourceSlices. */
@NullMarked
package dev.claimstream.agent.devices;

import org.jspecify.annotations.NullMarked;
