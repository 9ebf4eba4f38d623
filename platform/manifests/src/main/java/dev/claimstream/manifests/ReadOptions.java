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
 * @param workloads whether the pods of workloads are created
 */
public record ReadOptions(
        Directories directories,
        Strictness strictness,
        long fileBytesMax,
        int findingsMax,
        ObjectLimits limits,
        FeatureGates features,
        WorkloadTreatment workloads) {
    /** Maximum number of pods that are created for the workloads of one read. */
    public static final int EXPANDED_PODS_MAX = 10_000;

    /** Maximum number of claims that these pods get from templates. */
    public static final int EXPANDED_CLAIMS_MAX = 10_000;

    /** The treatment of objects whose controller creates pods, such as Deployments. */
    public enum WorkloadTreatment {
        /** A workload gets a warning, like each kind that is not served. */
        IGNORED,
        /** The pods of Deployments, ReplicaSets, StatefulSets, Jobs and JobSets are created, as their controllers do at the start. */
        EXPANDED
    }

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

    /** The defaults: no subdirectories, strict, at most 256 MiB per file, all features enabled, workloads ignored. */
    public static final ReadOptions DEFAULT = new ReadOptions(
            Directories.FLAT,
            Strictness.STRICT,
            256L << 20,
            1000,
            ObjectLimits.DEFAULT,
            FeatureGates.all(),
            WorkloadTreatment.IGNORED);

    public ReadOptions {
        if (fileBytesMax < 1 || findingsMax < 1) {
            throw new IllegalArgumentException(
                    "limits must be positive: fileBytesMax %d, findingsMax %d".formatted(fileBytesMax, findingsMax));
        }
    }

    /** Returns these options with another directory mode. */
    public ReadOptions with(Directories other) {
        return new ReadOptions(other, strictness, fileBytesMax, findingsMax, limits, features, workloads);
    }

    /** Returns these options with another strictness. */
    public ReadOptions with(Strictness other) {
        return new ReadOptions(directories, other, fileBytesMax, findingsMax, limits, features, workloads);
    }

    /** Returns these options with other limits per object. */
    public ReadOptions with(ObjectLimits other) {
        return new ReadOptions(directories, strictness, fileBytesMax, findingsMax, other, features, workloads);
    }

    /** Returns these options with another maximum file size. */
    public ReadOptions withFileBytesMax(long other) {
        return new ReadOptions(directories, strictness, other, findingsMax, limits, features, workloads);
    }

    /** Returns these options with another maximum number of findings. */
    public ReadOptions withFindingsMax(int other) {
        return new ReadOptions(directories, strictness, fileBytesMax, other, limits, features, workloads);
    }

    /** Returns these options with the feature gates of the API server. */
    public ReadOptions with(FeatureGates other) {
        return new ReadOptions(directories, strictness, fileBytesMax, findingsMax, limits, other, workloads);
    }

    /** Returns these options with another treatment of workloads. */
    public ReadOptions with(WorkloadTreatment other) {
        return new ReadOptions(directories, strictness, fileBytesMax, findingsMax, limits, features, other);
    }
}
