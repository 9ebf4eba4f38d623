package dev.claimstream.manifests;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.tree.ObjectLimits;

/**
 * Options for reading manifests.
 *
 * @param fileBytesMax maximum size of a file in bytes; a larger file is rejected before it is read
 * @param findingsMax maximum number of findings kept; further findings are only counted
 * @param features the feature gates of the API server: an invalid value in a field of a disabled feature is not an error of the reading, but
 *     {@link Manifest#disabledFindings()}
 */
public record ReadOptions(
        Directories directories,
        Strictness strictness,
        long fileBytesMax,
        int findingsMax,
        ObjectLimits limits,
        FeatureGates features) {
    /** The files of a directory that are read. */
    public enum Directories {
        /** Only the files directly in the directory, as kubectl does. */
        FLAT,
        /** Also the files in subdirectories. */
        RECURSIVE
    }

    /** The treatment of fields and values that this version does not know. */
    public enum Strictness {
        /** An unknown field is an error, as for {@code kubectl apply}. Use it for manifests that people write. */
        STRICT,
        /**
         * An unknown field is a warning, and an unknown value is kept as unknown. Use it for objects that an API server, possibly a newer
         * one, has accepted.
         */
        SERVED
    }

    /** The defaults: no subdirectories, strict, at most 256 MiB per file, all features enabled. */
    public static final ReadOptions DEFAULT = new ReadOptions(
            Directories.FLAT, Strictness.STRICT, 256L << 20, 1000, ObjectLimits.DEFAULT, FeatureGates.all());

    public ReadOptions {
        if (fileBytesMax < 1 || findingsMax < 1) {
            throw new IllegalArgumentException(
                    "limits must be positive: fileBytesMax %d, findingsMax %d".formatted(fileBytesMax, findingsMax));
        }
    }

    /** Returns these options with another directory mode. */
    public ReadOptions with(Directories other) {
        return new ReadOptions(other, strictness, fileBytesMax, findingsMax, limits, features);
    }

    /** Returns these options with another strictness. */
    public ReadOptions with(Strictness other) {
        return new ReadOptions(directories, other, fileBytesMax, findingsMax, limits, features);
    }

    /** Returns these options with other limits per object. */
    public ReadOptions with(ObjectLimits other) {
        return new ReadOptions(directories, strictness, fileBytesMax, findingsMax, other, features);
    }

    /** Returns these options with another maximum file size. */
    public ReadOptions withFileBytesMax(long other) {
        return new ReadOptions(directories, strictness, other, findingsMax, limits, features);
    }

    /** Returns these options with another maximum number of findings. */
    public ReadOptions withFindingsMax(int other) {
        return new ReadOptions(directories, strictness, fileBytesMax, other, limits, features);
    }

    /** Returns these options with the feature gates of the API server. */
    public ReadOptions with(FeatureGates other) {
        return new ReadOptions(directories, strictness, fileBytesMax, findingsMax, limits, other);
    }
}
