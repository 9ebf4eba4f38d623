package dev.claimstream.selectors;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.SemanticVersion;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds attributes that make a device unreadable for every selector: a value of an unknown type, or an invalid version.
 *
 * <p>Caches the texts of versions. Thread-safe.
 */
final class AttributeCheck {
    private static final int KNOWN_MAX = 4096;

    private final Map<String, Optional<String>> known = new ConcurrentHashMap<>();

    /** Returns the problem of the first unreadable attribute by name, in upstream's words. */
    Optional<String> problem(Device device) {
        for (AttributeValue value : device.attributes().values()) {
            if (isSuspect(value) && problem(value).isPresent()) {
                return named(device);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns whether the value can be unreadable. It is called for every device and selector; a switch over types takes several times as
     * long.
     */
    private static boolean isSuspect(AttributeValue value) {
        return value instanceof AttributeValue.VersionValue
                || value instanceof AttributeValue.VersionList
                || value instanceof AttributeValue.UnknownValue;
    }

    private Optional<String> named(Device device) {
        return device.attributes().entrySet().stream()
                .flatMap(entry -> problem(entry.getValue()).stream()
                        .map(problem -> "attribute " + entry.getKey() + ": " + problem))
                .findFirst();
    }

    private Optional<String> problem(AttributeValue value) {
        return switch (value) {
            case AttributeValue.VersionValue version -> versionProblem(version.value());
            case AttributeValue.VersionList versions -> firstProblem(versions.values());
            case AttributeValue.UnknownValue unknown -> Optional.of("unsupported attribute value");
            case AttributeValue.IntValue v -> Optional.empty();
            case AttributeValue.BoolValue v -> Optional.empty();
            case AttributeValue.StringValue v -> Optional.empty();
            case AttributeValue.IntList v -> Optional.empty();
            case AttributeValue.BoolList v -> Optional.empty();
            case AttributeValue.StringList v -> Optional.empty();
        };
    }

    private Optional<String> firstProblem(List<String> versions) {
        for (String version : versions) {
            Optional<String> problem = versionProblem(version);
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    private Optional<String> versionProblem(String text) {
        Optional<String> seen = known.get(text);
        if (seen != null) {
            return seen;
        }
        Optional<String> problem = parseProblem(text);
        if (known.size() >= KNOWN_MAX) {
            known.clear();
        }
        known.put(text, problem);
        return problem;
    }

    private static Optional<String> parseProblem(String text) {
        try {
            SemanticVersion.parse(text);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of("parse semantic version: " + e.getMessage());
        }
    }
}
