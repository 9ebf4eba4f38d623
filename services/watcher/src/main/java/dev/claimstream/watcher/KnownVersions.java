package dev.claimstream.watcher;

/**
 * The highest version of a kind that existed before now.
 *
 * <p>A list that is read later has a version at least as high, unless the cluster was restored from a backup.
 * Not thread-safe.
 */
final class KnownVersions {
    private long highest;
    private long listed;

    /** Adds a version that exists. */
    void add(long version) {
        highest = Math.max(highest, version);
    }

    /** Returns the highest version that existed before a list of this version was read. */
    long highest(long listVersion) {
        return Math.max(highest, listVersion);
    }

    /** A list of this version is complete: versions of the history before it are forgotten. */
    void replace(long listVersion) {
        listed = listVersion;
        highest = listVersion;
    }

    /** Adds a version that an earlier process has published. Returns whether it exceeds the last list, so that a relist shows whether versions went back. */
    boolean addPublished(long version) {
        add(version);
        return version > listed;
    }
}
