package dev.claimstream.manifests;

import dev.claimstream.dra.ClusterObject;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An object with its location in the text.
 *
 * @param apiVersion as written, for example {@code resource.k8s.io/v1beta1}; the object itself has no version
 * @param location the start of the object
 * @param generateName present if the object has no name and leaves it to the API server
 * @param locations the locations of the fields that a later check may report: expressions, references to other objects, requests, devices;
 *     the map must not change any more
 * @param expressions the CEL expressions; this module does not compile them
 * @param disabledFindings errors of validation in fields that {@link DisabledFields} drops; they count only if the field is kept
 * @param template the path of the pod template in the text, for example {@code spec.template}, if the object is a pod of a workload
 */
public record Manifest(
        ClusterObject object,
        String apiVersion,
        SourceLocation location,
        Optional<String> generateName,
        SortedMap<String, SourceLocation> locations,
        List<CelExpression> expressions,
        List<ManifestFinding> disabledFindings,
        Optional<String> template) {
    public Manifest {
        locations = Collections.unmodifiableSortedMap(locations); // not a copy: the pods of a template share it
        expressions = List.copyOf(expressions);
        disabledFindings = List.copyOf(disabledFindings);
    }

    /** A CEL expression with its use and the path of its field. */
    public record CelExpression(String field, ExpressionUsage purpose, String text) {
        /** The use of an expression; it determines the permitted result type. */
        public enum ExpressionUsage {
            /** Selects devices. */
            SELECTOR,
            /** Computes an attribute of a device. */
            DERIVED_ATTRIBUTE
        }
    }

    /** Creates a manifest for an object that no text contains. Its findings are reported at the location of the object that caused it. */
    static Manifest withoutText(ClusterObject object, String apiVersion, SourceLocation location) {
        return new Manifest(
                object,
                apiVersion,
                location,
                Optional.empty(),
                new TreeMap<>(),
                List.of(),
                List.of(),
                Optional.empty());
    }

    /** Returns the same manifest with another object, which has a name. */
    public Manifest withObject(ClusterObject other) {
        return new Manifest(
                other, apiVersion, location, Optional.empty(), locations, expressions, disabledFindings, template);
    }

    /**
     * Returns the location of a field, or of the closest enclosing field with a known location.
     *
     * @param field for example {@code spec.devices.requests[0].exactly.selectors[0].cel.expression}
     */
    public SourceLocation locationOf(String field) {
        for (String path = pathInText(field); !path.isEmpty(); path = parent(path)) {
            SourceLocation known = locations.get(path);
            if (known != null) {
                return known;
            }
        }
        return location;
    }

    public String pathInText(String field) {
        return template.map(path -> field.isEmpty() ? path : path + "." + field).orElse(field);
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
    }

    /** Creates an error of a later check at a field of this object. */
    public ManifestFinding error(String field, String value, String message, String remedy) {
        return new ManifestFinding(
                ManifestFinding.Severity.ERROR, locationOf(field), pathInText(field), value, message, remedy);
    }
}
