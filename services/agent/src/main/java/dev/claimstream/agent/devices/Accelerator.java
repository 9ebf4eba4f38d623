package dev.claimstream.agent.devices;

import java.util.Optional;

/**
 * A device that the node offers.
 *
 * @param family whose it is and what: the first part of the driver's name, for example nvidia-gpu
 * @param type what it is: gpu, nic, …
 * @param function where it is; of a card with several functions the first
 * @param functions how many functions of the card it stands for
 */
public record Accelerator(String family, String type, PciFunction function, int functions, Optional<String> model) {
    /** Below this domain are the names of the drivers that the agent speaks for. */
    public static final String DOMAIN = "agent.claimstream.dev";

    /** The driver in whose pool it is. */
    public String driver() {
        return family + "." + DOMAIN;
    }

    /** The name in the pool, which stays as long as the device stays in its slot. */
    public String name() {
        return type + "-" + function.address().label();
    }
}
