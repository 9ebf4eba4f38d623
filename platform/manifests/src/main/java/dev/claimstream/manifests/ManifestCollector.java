package dev.claimstream.manifests;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.MetadataReader.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects the manifests of one read and checks rules that span several objects. */
final class ManifestCollector {
    private final FindingCollector findings;
    private final List<Manifest> manifests = new ArrayList<>();
    private final Map<ManifestKey, SourceLocation> firstLocations = new HashMap<>();
    private final Map<PoolGeneration, Map<String, SourceLocation>> devices = new HashMap<>();
    private long objectCount;
    private long rejected;

    ManifestCollector(FindingCollector findings) {
        this.findings = findings;
    }

    private record ManifestKey(Kind kind, String namespace, String name) {}

    private record PoolGeneration(PoolId pool, long generation) {}

    /** Adds an object, unless there already is one with the same kind and name. */
    void add(Manifest manifest) {
        objectCount++;
        if (manifest.generateName().isEmpty() && isSecond(manifest)) {
            rejected++;
            return;
        }
        if (manifest.object() instanceof ResourceSlice slice) {
            checkDevices(manifest, slice);
        }
        manifests.add(manifest);
    }

    /** Counts a rejected object. */
    void rejected() {
        objectCount++;
        rejected++;
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

    private boolean isSecond(Manifest manifest) {
        var object = manifest.object();
        boolean namespaced = KindRegistry.scope(object.kind()) == Scope.NAMESPACED;
        String namespace = namespaced && object.meta().namespace().isEmpty()
                ? ClusterCompletion.DEFAULT_NAMESPACE
                : object.meta().namespace();
        ManifestKey identity =
                new ManifestKey(object.kind(), namespace, object.meta().name());
        SourceLocation first = firstLocations.putIfAbsent(identity, manifest.location());
        if (first != null) {
            findings.add(manifest.error(
                    "metadata.name",
                    object.key().toString(),
                    "there is a %s of this name at %s already"
                            .formatted(object.kind().apiName(), first),
                    "leave one of the two out, or give it another name"));
        }
        return first != null;
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
