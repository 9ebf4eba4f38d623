package dev.claimstream.manifests;

import dev.claimstream.dra.ClusterObject;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An object as it was written.
 *
 * @param apiVersion as written, for example {@code resource.k8s.io/v1beta1}; the object itself has no version
 * @param place where the object begins
 * @param generateName present where the object has no name and leaves it to the API server
 * @param places where the fields stand that a later check may speak of: expressions, references to other objects, requests, devices
 * @param expressions the CEL expressions, which are not looked into here
 */
public record Manifest(
        ClusterObject object,
        String apiVersion,
        Place place,
        Optional<String> generateName,
        SortedMap<String, Place> places,
        List<Expression> expressions) {
    public Manifest {
        places = Collections.unmodifiableSortedMap(new TreeMap<>(places));
        expressions = List.copyOf(expressions);
    }

    /** A CEL expression, what it is for, and the path of its field. */
    public record Expression(String field, Purpose purpose, String text) {
        /** What an expression is for, which decides what it may evaluate to. */
        public enum Purpose {
            /** Whether a device fits. */
            SELECTOR,
            /** An attribute of a device. */
            DERIVED_ATTRIBUTE
        }
    }

    /** An object that no text holds; its findings are told at a place that led to it. */
    static Manifest unwritten(ClusterObject object, String apiVersion, Place place) {
        return new Manifest(object, apiVersion, place, Optional.empty(), new TreeMap<>(), List.of());
    }

    /** The same text with another object, which has a name. */
    public Manifest withObject(ClusterObject other) {
        return new Manifest(other, apiVersion, place, Optional.empty(), places, expressions);
    }

    /** Where a field stands, for example {@code spec.devices.requests[0].exactly.selectors[0].cel.expression}, or what it is in. */
    public Place placeOf(String field) {
        for (String path = field; !path.isEmpty(); path = parent(path)) {
            Place known = places.get(path);
            if (known != null) {
                return known;
            }
        }
        return place;
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
    }

    /** A finding of a later check at a field of this object. */
    public Finding error(String field, String value, String message, String remedy) {
        return new Finding(Finding.Severity.ERROR, placeOf(field), field, value, message, remedy);
    }
}
