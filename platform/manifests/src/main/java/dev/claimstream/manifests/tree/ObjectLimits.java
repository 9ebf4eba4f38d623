package dev.claimstream.manifests.tree;

/**
 * The limits on one object while it is read.
 *
 * <p>An API server accepts requests of 3 MiB and stores half of that, so no object that it stores comes near the default. The parse time of
 * a single text grows with the square of its length.
 *
 * @param charactersMax characters of one object
 * @param nodesMax values in one object, with aliases expanded
 * @param aliasedNodesMax values in one object that come from aliases
 * @param nestingMax nesting depth of values
 */
public record ObjectLimits(int charactersMax, int nodesMax, int aliasedNodesMax, int nestingMax) {
    /** The defaults: 3 Mi characters, 500,000 values, of which 10,000 from aliases, depth 100. */
    public static final ObjectLimits DEFAULT = new ObjectLimits(3 << 20, 500_000, 10_000, 100);

    public ObjectLimits {
        if (charactersMax < 1 || nodesMax < 1 || aliasedNodesMax < 0 || nestingMax < 1) {
            throw new IllegalArgumentException("limits must be positive: %d characters, %d nodes, %d aliased, %d deep"
                    .formatted(charactersMax, nodesMax, aliasedNodesMax, nestingMax));
        }
    }
}
