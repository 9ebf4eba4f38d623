package dev.claimstream.manifests;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.MetadataReader.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** Collects the manifests of one read and checks rules that span several objects. */
final class ManifestCollector {
    private final FindingCollector findings;
    private final List<Manifest> manifests = new ArrayList<>();
    private final Map<ManifestKey, FirstObject> firstObjects = new HashMap<>();
    private final Map<PoolGeneration, Map<String, SourceLocation>> devices = new HashMap<>();
    private final SequencedMap<String, List<ManifestFinding>> foreignFiles = new LinkedHashMap<>();
    private final WorkloadCollector workloads;
    private long objectCount;
    private long rejected;

    ManifestCollector(FindingCollector findings) {
        this.findings = findings;
        this.workloads = new WorkloadCollector(findings);
    }

    private record ManifestKey(Kind kind, String namespace, String name) {}

    private record FirstObject(Manifest manifest, long digest) {}

    private record PoolGeneration(PoolId pool, long generation) {}

    /**
     * Adds an object, unless there already is one with the same kind and name.
     *
     * @param digest of the content: a second object with the same content is the same object, as for {@code kubectl apply}
     */
    void add(Manifest manifest, long digest) {
        objectCount++;
        Optional<FirstObject> first = manifest.generateName().isEmpty() ? first(manifest, digest) : Optional.empty();
        if (first.isPresent()) {
            FirstObject other = first.get();
            if (other.digest != digest && !isOtherVersion(other.manifest, manifest)) {
                reject(manifest, other.manifest.location());
            }
            return;
        }
        if (manifest.object() instanceof ResourceSlice slice) {
            checkDevices(manifest, slice);
        }
        manifests.add(manifest);
    }

    /** Returns whether two manifests are one object in two versions of its API. */
    private static boolean isOtherVersion(Manifest first, Manifest second) {
        return first.apiVersion().startsWith(ApiVersion.RESOURCE_GROUP)
                && !first.apiVersion().equals(second.apiVersion())
                && first.object().equals(second.object());
    }

    /** Counts a rejected object. */
    void rejected() {
        objectCount++;
        rejected++;
    }

    /** Records a file with nothing but documents of other programs. */
    void foreign(String file, List<ManifestFinding> about) {
        foreignFiles.put(file, about);
    }

    /** Reports the files without Kubernetes objects: in one line, or as errors if there is nothing else. */
    void reportForeign() {
        if (foreignFiles.isEmpty()) {
            return;
        }
        if (objectCount == 0) {
            foreignFiles.values().forEach(all -> all.forEach(findings::add));
            rejected += foreignFiles.size();
        } else {
            List<String> files = List.copyOf(foreignFiles.keySet());
            findings.add(ManifestFinding.warning(
                    SourceLocation.of(files.getFirst()),
                    ForeignDocuments.message(files),
                    "name the files with objects only, if this line is in the way"));
        }
    }

    /** Counts an object of a kind that is not served. */
    void ignored() {
        objectCount++;
    }

    /** Returns the number of objects read, valid or not. */
    long objectCount() {
        return objectCount;
    }

    /** Returns the number of rejected objects. */
    long rejectedCount() {
        return rejected;
    }

    List<Manifest> manifests() {
        return manifests;
    }

    /** Returns the workloads, which are expanded when everything is read. */
    WorkloadCollector workloads() {
        return workloads;
    }

    /** Adds the pods of workloads. */
    void addPods() {
        if (workloads.isEmpty()) {
            return;
        }
        WorkloadExpansion.ExpandedPods pods = new WorkloadExpansion(workloads, manifests, findings).pods();
        manifests.addAll(pods.manifests());
        rejected += pods.rejected();
    }

    /** Returns the first object of this name; empty if it is this one. */
    private Optional<FirstObject> first(Manifest manifest, long digest) {
        var object = manifest.object();
        boolean namespaced = KindRegistry.scope(object.kind()) == Scope.NAMESPACED;
        String namespace = namespaced && object.meta().namespace().isEmpty()
                ? ClusterCompletion.DEFAULT_NAMESPACE
                : object.meta().namespace();
        ManifestKey identity =
                new ManifestKey(object.kind(), namespace, object.meta().name());
        return Optional.ofNullable(firstObjects.putIfAbsent(identity, new FirstObject(manifest, digest)));
    }

    private void reject(Manifest manifest, SourceLocation first) {
        var object = manifest.object();
        findings.add(manifest.error(
                "metadata.name",
                object.key().toString(),
                "there is a %s of this name at %s already"
                        .formatted(object.kind().apiName(), first),
                "leave one of the two out, or give it another name"));
        rejected++;
    }

    /** Warns about a device that two slices publish: the slices are valid, but the pool is invalid as a whole. */
    private void checkDevices(Manifest manifest, ResourceSlice slice) {
        Map<String, SourceLocation> ofPool =
                devices.computeIfAbsent(new PoolGeneration(slice.poolId(), slice.generation()), _ -> new HashMap<>());
        for (int i = 0; i < slice.devices().size(); i++) {
            Device device = slice.devices().get(i);
            SourceLocation first = ofPool.putIfAbsent(device.name(), manifest.location());
            if (first != null) {
                String field = "spec.devices[%d]".formatted(i);
                findings.add(new ManifestFinding(
                        ManifestFinding.Severity.WARNING,
                        manifest.locationOf(field),
                        field,
                        device.name(),
                        "the slice at %s has this device of pool %s too: the pool is invalid, no device is allocated"
                                .formatted(first, slice.poolId()),
                        "give one of the two another name"));
            }
        }
    }
}
