package dev.claimstream.manifests;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.Metadata.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects the manifests of one read and checks rules that span several objects. */
final class Collected {
    private final Findings findings;
    private final List<Manifest> manifests = new ArrayList<>();
    private final Map<Identity, Place> known = new HashMap<>();
    private final Map<Generation, Map<String, Place>> devices = new HashMap<>();
    private long seen;
    private long refused;

    Collected(Findings findings) {
        this.findings = findings;
    }

    private record Identity(Kind kind, String namespace, String name) {}

    private record Generation(PoolId pool, long generation) {}

    /** Adds an object, unless there already is one with the same kind and name. */
    void add(Manifest manifest) {
        seen++;
        if (manifest.generateName().isEmpty() && isSecond(manifest)) {
            refused++;
            return;
        }
        if (manifest.object() instanceof ResourceSlice slice) {
            checkDevices(manifest, slice);
        }
        manifests.add(manifest);
    }

    /** Counts a rejected object. */
    void refused() {
        seen++;
        refused++;
    }

    /** Counts an object of a kind that is not served. */
    void ignored() {
        seen++;
    }

    /** Returns the number of objects read, valid or not. */
    long seen() {
        return seen;
    }

    /** Returns the number of rejected objects. */
    long refusals() {
        return refused;
    }

    List<Manifest> manifests() {
        return manifests;
    }

    private boolean isSecond(Manifest manifest) {
        var object = manifest.object();
        boolean namespaced = Kinds.scope(object.kind()) == Scope.NAMESPACED;
        String namespace = namespaced && object.meta().namespace().isEmpty()
                ? ClusterCompletion.DEFAULT_NAMESPACE
                : object.meta().namespace();
        Identity identity = new Identity(object.kind(), namespace, object.meta().name());
        Place first = known.putIfAbsent(identity, manifest.place());
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
        Map<String, Place> ofPool =
                devices.computeIfAbsent(new Generation(slice.poolId(), slice.generation()), _ -> new HashMap<>());
        for (int i = 0; i < slice.devices().size(); i++) {
            Device device = slice.devices().get(i);
            Place first = ofPool.putIfAbsent(device.name(), manifest.place());
            if (first != null) {
                String field = "spec.devices[%d]".formatted(i);
                findings.add(new Finding(
                        Finding.Severity.WARNING,
                        manifest.placeOf(field),
                        field,
                        device.name(),
                        "the slice at %s has this device of pool %s too: the pool is invalid and gives out nothing"
                                .formatted(first, slice.poolId()),
                        "give one of the two another name"));
            }
        }
    }
}
