package dev.claimstream.manifests;

import dev.claimstream.dra.Feature;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The dropped fields of one object, for its warnings: one per name of a field, at the first occurrence. */
final class DroppedFields {
    private final Map<GatedField, Integer> occurrences = new LinkedHashMap<>();

    boolean isEmpty() {
        return occurrences.isEmpty();
    }

    /** Returns the disabled features. */
    Set<Feature> features() {
        Set<Feature> features = EnumSet.noneOf(Feature.class);
        occurrences.keySet().forEach(each -> features.add(each.feature()));
        return features;
    }

    /** Returns the path of the field that was dropped first. */
    String firstPath() {
        return occurrences.keySet().iterator().next().path();
    }

    /** Adds an occurrence. */
    void add(GatedField field) {
        occurrences.merge(first(field).orElse(field), 1, Integer::sum);
    }

    /** Adds a field with an invalid value, which the object may not contain; its occurrence may be counted already. */
    void addUnlessKnown(GatedField field) {
        if (first(field).isEmpty()) {
            add(field);
        }
    }

    private Optional<GatedField> first(GatedField field) {
        return occurrences.keySet().stream()
                .filter(each -> each.name().equals(field.name()) && each.feature() == field.feature())
                .findFirst();
    }

    /** Returns the warnings in the order in which the fields were dropped. */
    List<ManifestFinding> warnings(Manifest manifest) {
        List<ManifestFinding> warnings = new ArrayList<>();
        occurrences.forEach((field, count) -> warnings.add(warning(manifest, field, count)));
        return warnings;
    }

    private static ManifestFinding warning(Manifest manifest, GatedField field, int count) {
        return new ManifestFinding(
                ManifestFinding.Severity.WARNING,
                manifest.locationOf(field.path()),
                field.path(),
                "",
                "the API server drops %s%s while the feature gate %s is off"
                        .formatted(
                                field.name(),
                                count == 1 ? "" : " here and in %d more places".formatted(count - 1),
                                field.feature().gate()),
                "leave it out, or enable the gate in the cluster and pass --features %s=true"
                        .formatted(field.feature().gate()));
    }
}
