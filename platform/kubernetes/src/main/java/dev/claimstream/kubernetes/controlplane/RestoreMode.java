package dev.claimstream.kubernetes.controlplane;

/**
 * How etcd is restored from a snapshot.
 *
 * <p>The documentation of etcd recommends the bump for Kubernetes.
 */
public enum RestoreMode {
    /** The store continues at the resourceVersion of the snapshot. */
    PLAIN(""),
    /** The store continues a billion resourceVersions later, and expires all watches. */
    BUMP(" bump");

    private final String argument;

    RestoreMode(String argument) {
        this.argument = argument;
    }

    String argument() {
        return argument;
    }
}
