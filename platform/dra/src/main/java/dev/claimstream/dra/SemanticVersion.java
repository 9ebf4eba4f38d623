package dev.claimstream.dra;

import java.util.Arrays;
import java.util.List;

/**
 * A semantic version as Kubernetes reads it (semver.org 2.0.0): order and equality ignore build metadata.
 *
 * @param preRelease the dot-separated identifiers after the hyphen
 */
public record SemanticVersion(long major, long minor, long patch, List<String> preRelease)
        implements Comparable<SemanticVersion> {
    public SemanticVersion {
        preRelease = List.copyOf(preRelease);
    }

    /**
     * Reads a strict version.
     *
     * @throws IllegalArgumentException with what is wrong, in the words of the Go library that Kubernetes uses
     */
    public static SemanticVersion parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("Version string empty");
        }
        String[] parts = text.split("\\.", 3);
        if (parts.length != 3) {
            throw new IllegalArgumentException("No Major.Minor.Patch elements found");
        }
        long major = number(parts[0], "major");
        long minor = number(parts[1], "minor");
        String rest = parts[2];
        int plus = rest.indexOf('+');
        if (plus >= 0) {
            identifiers(rest.substring(plus + 1), "Build meta data");
            rest = rest.substring(0, plus);
        }
        int dash = rest.indexOf('-');
        List<String> preRelease = List.of();
        if (dash >= 0) {
            preRelease = identifiers(rest.substring(dash + 1), "Prerelease");
            rest = rest.substring(0, dash);
        }
        for (String part : preRelease) {
            if (isNumber(part) && part.length() > 1 && part.charAt(0) == '0') {
                throw new IllegalArgumentException(
                        "Numeric PreRelease version must not contain leading zeroes \"" + part + "\"");
            }
        }
        return new SemanticVersion(major, minor, number(rest, "patch"), preRelease);
    }

    private static List<String> identifiers(String text, String what) {
        List<String> parts = Arrays.asList(text.split("\\.", -1));
        for (String part : parts) {
            if (part.isEmpty()) {
                throw new IllegalArgumentException(what + " is empty");
            }
            if (!part.chars().allMatch(SemanticVersion::isIdentifierPart)) {
                throw new IllegalArgumentException("Invalid character(s) found in "
                        + (what.equals("Prerelease") ? "prerelease" : "build meta data") + " \"" + part + "\"");
            }
        }
        return parts;
    }

    private static boolean isIdentifierPart(int c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static long number(String text, String what) {
        if (!isNumber(text)) {
            throw new IllegalArgumentException("Invalid character(s) found in " + what + " number \"" + text + "\"");
        }
        if (text.length() > 1 && text.charAt(0) == '0') {
            throw new IllegalArgumentException(
                    upperFirst(what) + " number must not contain leading zeroes \"" + text + "\"");
        }
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("strconv.ParseUint: parsing \"" + text + "\": value out of range", e);
        }
    }

    private static String upperFirst(String word) {
        return Character.toUpperCase(word.charAt(0)) + word.substring(1);
    }

    @Override
    public int compareTo(SemanticVersion other) {
        int c = Long.compareUnsigned(major, other.major);
        c = c != 0 ? c : Long.compareUnsigned(minor, other.minor);
        c = c != 0 ? c : Long.compareUnsigned(patch, other.patch);
        return c != 0 ? c : comparePreRelease(other);
    }

    private int comparePreRelease(SemanticVersion other) {
        if (preRelease.isEmpty() || other.preRelease.isEmpty()) {
            return Boolean.compare(preRelease.isEmpty(), other.preRelease.isEmpty());
        }
        for (int i = 0; i < Math.min(preRelease.size(), other.preRelease.size()); i++) {
            int c = compareIdentifiers(preRelease.get(i), other.preRelease.get(i));
            if (c != 0) {
                return c;
            }
        }
        return Integer.compare(preRelease.size(), other.preRelease.size());
    }

    private static int compareIdentifiers(String a, String b) {
        if (isNumber(a) && isNumber(b)) {
            return a.length() != b.length() ? Integer.compare(a.length(), b.length()) : a.compareTo(b);
        }
        return isNumber(a) != isNumber(b) ? (isNumber(a) ? -1 : 1) : a.compareTo(b);
    }

    @Override
    public String toString() {
        return Long.toUnsignedString(major) + "." + Long.toUnsignedString(minor) + "." + Long.toUnsignedString(patch)
                + (preRelease.isEmpty() ? "" : "-" + String.join(".", preRelease));
    }
}
