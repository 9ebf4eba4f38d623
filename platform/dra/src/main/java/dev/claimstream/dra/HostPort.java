package dev.claimstream.dra;

/**
 * A port of its node that a pod takes.
 *
 * @param address {@value #EVERY} for every address of the node
 */
public record HostPort(String address, String protocol, int port) {
    /** All addresses of a node. */
    public static final String EVERY = "0.0.0.0";

    /** Whether two pods cannot have both on one node. */
    public boolean collidesWith(HostPort other) {
        return port == other.port
                && protocol.equals(other.protocol)
                && (address.equals(other.address) || address.equals(EVERY) || other.address.equals(EVERY));
    }
}
