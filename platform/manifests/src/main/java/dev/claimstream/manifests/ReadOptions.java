package dev.claimstream.manifests;

import dev.claimstream.manifests.tree.NodeLimits;

/**
 * How manifests are read.
 *
 * @param fileBytesMax a larger file is refused before it is read
 * @param findingsMax findings beyond are counted, not kept
 */
public record ReadOptions(
        Directories directories, Strictness strictness, long fileBytesMax, int findingsMax, NodeLimits limits) {
    /** Which files of a directory are read. */
    public enum Directories {
        /** Those that lie in it, as kubectl does. */
        FLAT,
        /** Those in the directories below as well. */
        RECURSIVE
    }

    /** What becomes of a field or a value that this version does not know. */
    public enum Strictness {
        /** It is an error, as for {@code kubectl apply}: for what people write. */
        STRICT,
        /** It is a warning and kept as unknown: for what an API server has taken already, which may be newer. */
        SERVED
    }

    /** Files of a directory itself, strictly, at most 256 MiB each. */
    public static final ReadOptions DEFAULT =
            new ReadOptions(Directories.FLAT, Strictness.STRICT, 256L << 20, 1000, NodeLimits.DEFAULT);

    public ReadOptions {
        if (fileBytesMax < 1 || findingsMax < 1) {
            throw new IllegalArgumentException(
                    "limits must be positive: fileBytesMax %d, findingsMax %d".formatted(fileBytesMax, findingsMax));
        }
    }

    /** The same for directories of this sort. */
    public ReadOptions with(Directories other) {
        return new ReadOptions(other, strictness, fileBytesMax, findingsMax, limits);
    }

    /** The same with this strictness. */
    public ReadOptions with(Strictness other) {
        return new ReadOptions(directories, other, fileBytesMax, findingsMax, limits);
    }

    /** The same with these limits per object. */
    public ReadOptions with(NodeLimits other) {
        return new ReadOptions(directories, strictness, fileBytesMax, findingsMax, other);
    }

    /** The same with another limit on the size of a file. */
    public ReadOptions withFileBytesMax(long other) {
        return new ReadOptions(directories, strictness, other, findingsMax, limits);
    }

    /** The same with another limit on the number of findings. */
    public ReadOptions withFindingsMax(int other) {
        return new ReadOptions(directories, strictness, fileBytesMax, other, limits);
    }
}
