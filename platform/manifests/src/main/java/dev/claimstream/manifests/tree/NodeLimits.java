package dev.claimstream.manifests.tree;

/**
 * How much one object may ask for while it is read. An API server takes 3 MiB in a request and stores half of that, so
 * nothing that it would store comes near the default. A single text costs time that grows with the square of its length.
 *
 * @param charactersMax characters of one object
 * @param nodesMax values in one object, aliases written out
 * @param aliasedNodesMax values that the aliases of one object stand for
 * @param nestingMax how deep values lie in each other
 */
public record NodeLimits(int charactersMax, int nodesMax, int aliasedNodesMax, int nestingMax) {
    /** 3 Mi characters, half a million values, 10 000 of them by alias, 100 deep. */
    public static final NodeLimits DEFAULT = new NodeLimits(3 << 20, 500_000, 10_000, 100);

    public NodeLimits {
        if (charactersMax < 1 || nodesMax < 1 || aliasedNodesMax < 0 || nestingMax < 1) {
            throw new IllegalArgumentException("limits must be positive: %d characters, %d nodes, %d aliased, %d deep"
                    .formatted(charactersMax, nodesMax, aliasedNodesMax, nestingMax));
        }
    }
}
