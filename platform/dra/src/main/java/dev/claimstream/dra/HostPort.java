package dev.claimstream.dra;

/**
 * A host port of a pod.
 *
 * @param address {@value #ALL_ADDRESSES} for all addresses of the node
 */
public record HostPort(String address, String protocol, int port) {
    /** All addresses of a node. */
    public static final String ALL_ADDRESSES = "0.0.0.0";

    /** Returns whether two pods with these ports cannot run on one node. */
    public boolean collidesWith(HostPort other) {
        return port == other.port
                && protocol.equals(other.protocol)
                && (address.equals(other.address)
                        || address.equals(ALL_ADDRESSES)
                        || other.address.equals(ALL_ADDRESSES));
    }
}
