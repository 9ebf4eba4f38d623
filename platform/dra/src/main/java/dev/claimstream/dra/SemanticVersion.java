package dev.claimstream.dra;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A semantic version with the rules of Kubernetes (semver.org 2.0.0). Order and equality ignore build metadata.
 *
 * @param preRelease the dot-separated identifiers after the hyphen
 */
public record SemanticVersion(long major, long minor, long patch, List<String> preRelease)
        implements Comparable<SemanticVersion> {
    public SemanticVersion {
        preRelease = List.copyOf(preRelease);
    }

    /**
     * Parses a strict version.
     *
     * @throws IllegalArgumentException with the message of the Go library that Kubernetes uses
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
        int plus = parts[2].indexOf('+');
        String numbered = plus < 0 ? parts[2] : parts[2].substring(0, plus);
        int dash = numbered.indexOf('-');
        long patch = number(dash < 0 ? numbered : numbered.substring(0, dash), "patch");
        List<String> preRelease = dash < 0 ? List.of() : split(numbered.substring(dash + 1));
        preRelease.forEach(SemanticVersion::checkPreRelease);
        if (plus >= 0) {
            split(parts[2].substring(plus + 1))
                    .forEach(part -> checkIdentifier(part, "Build meta data is empty", "build meta data"));
        }
        return new SemanticVersion(major, minor, patch, preRelease);
    }

    private static List<String> split(String identifiers) {
        return Arrays.asList(identifiers.split("\\.", -1));
    }

    private static void checkPreRelease(String part) {
        if (!isNumber(part)) {
            checkIdentifier(part, "Prerelease is empty", "prerelease");
        } else if (part.length() > 1 && part.charAt(0) == '0') {
            throw new IllegalArgumentException(
                    "Numeric PreRelease version must not contain leading zeroes \"" + part + "\"");
        } else {
            unsigned(part);
        }
    }

    private static void checkIdentifier(String part, String empty, String what) {
        if (part.isEmpty()) {
            throw new IllegalArgumentException(empty);
        }
        if (!part.chars().allMatch(SemanticVersion::isIdentifierPart)) {
            throw new IllegalArgumentException("Invalid character(s) found in " + what + " \"" + part + "\"");
        }
    }

    /**
     * Parses a version that may have a leading {@code v}, leading zeroes and missing parts.
     *
     * @throws IllegalArgumentException as {@link #parse}, and if a version with a missing part has a prerelease or build metadata
     */
    public static SemanticVersion parseTolerant(String text) {
        String plain = text.startsWith("v") ? text.substring(1) : text;
        List<String> parts = Arrays.stream(plain.split("\\.", 3))
                .map(SemanticVersion::withoutLeadingZeroes)
                .collect(Collectors.toCollection(ArrayList::new));
        if (parts.size() < 3 && parts.getLast().chars().anyMatch(c -> c == '+' || c == '-')) {
            throw new IllegalArgumentException("short version cannot contain PreRelease/Build meta data");
        }
        while (parts.size() < 3) {
            parts.add("0");
        }
        return parse(String.join(".", parts));
    }

    private static String withoutLeadingZeroes(String part) {
        int start = 0;
        while (part.length() > 1 && start < part.length() && part.charAt(start) == '0') {
            start++;
        }
        String rest = part.substring(start);
        boolean startsWithDigit = !rest.isEmpty() && isNumber(rest.substring(0, 1));
        return part.length() <= 1 || startsWithDigit ? rest : "0" + rest;
    }

    private static boolean isIdentifierPart(int c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static long number(String text, String what) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("strconv.ParseUint: parsing \"\": invalid syntax");
        }
        if (!isNumber(text)) {
            throw new IllegalArgumentException("Invalid character(s) found in " + what + " number \"" + text + "\"");
        }
        if (text.length() > 1 && text.charAt(0) == '0') {
            throw new IllegalArgumentException(
                    upperFirst(what) + " number must not contain leading zeroes \"" + text + "\"");
        }
        return unsigned(text);
    }

    private static long unsigned(String digits) {
        try {
            return Long.parseUnsignedLong(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("strconv.ParseUint: parsing \"" + digits + "\": value out of range", e);
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
