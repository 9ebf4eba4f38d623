package dev.claimstream.agent.devices;

import java.util.Optional;

/**
 * An accelerator of the node.
 *
 * @param family vendor and kind; first part of the DRA driver name, e.g. nvidia-gpu
 * @param type kind of device: gpu, nic, …
 * @param function PCI function; the first one of a card with several
 * @param functions number of PCI functions of the card that the device represents
 */
public record Accelerator(String family, String type, PciFunction function, int functions, Optional<String> model) {
    /** Domain of the DRA driver names that the agent publishes. */
    public static final String DOMAIN = "agent.claimstream.dev";

    /** Name of the DRA driver. */
    public String driver() {
        return family + "." + DOMAIN;
    }

    /** Name of the device in its pool; stable while the device stays in its slot. */
    public String name() {
        return type + "-" + function.address().label();
    }
}
