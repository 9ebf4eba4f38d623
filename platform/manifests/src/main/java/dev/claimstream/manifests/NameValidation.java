package dev.claimstream.manifests;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;

/** Reads and checks names, with the messages of {@code k8s.io/apimachinery/pkg/util/validation}. */
final class NameValidation {
    static final int LABEL_MAX = 63;
    static final int SUBDOMAIN_MAX = 253;
    private static final int DOMAIN_MAX = 63;
    private static final int IDENTIFIER_MAX = 32;

    private static final String LABEL_MESSAGE = "a lowercase RFC 1123 label must consist of lower case alphanumeric"
            + " characters or '-', and must start and end with an alphanumeric character";
    private static final String SUBDOMAIN_MESSAGE = "a lowercase RFC 1123 subdomain must consist of lower case"
            + " alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    private static final String IDENTIFIER_MESSAGE = "a valid C identifier must start with alphabetic character or '_',"
            + " followed by a string of alphanumeric characters or '_'";
    private static final String QUALIFIED_MESSAGE = "name part must consist of alphanumeric characters, '-', '_' or"
            + " '.', and must start and end with an alphanumeric character";
    private static final String LABEL_VALUE_MESSAGE = "a valid label must be an empty string or consist of alphanumeric"
            + " characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    private static final String RENAME = "choose a name of this form";

    private NameValidation() {}

    /** Reads a required DNS label: the name of a request, device or counter. */
    static String label(ManifestField field) {
        return readRequired(field, (at, name) -> checkLabel(at, name));
    }

    /** Reads a required DNS subdomain: the name of a class, claim or node. */
    static String subdomain(ManifestField field) {
        return readRequired(field, (at, name) -> checkSubdomain(at, name, SUBDOMAIN_MAX));
    }

    /** Reads a required driver name: a DNS subdomain in upper or lower case. */
    static String driver(ManifestField field) {
        return readRequired(field, (at, name) -> checkSubdomain(at, name.toLowerCase(Locale.ROOT), DOMAIN_MAX));
    }

    /** Reads a required pool name: DNS subdomains separated by slashes. */
    static String pool(ManifestField field) {
        return readRequired(field, (at, name) -> {
            if (name.length() > SUBDOMAIN_MAX) {
                at.tooLong(SUBDOMAIN_MAX);
                return;
            }
            for (String part : name.split("/", -1)) {
                checkSubdomain(at, part, SUBDOMAIN_MAX);
            }
        });
    }

    /** Reads a required attribute name with a domain. */
    static String fullyQualified(ManifestField field) {
        return readRequired(field, (at, name) -> {
            checkQualified(at, name);
            if (name.indexOf('/') < 0) {
                at.invalid(
                        name,
                        "a fully qualified name must be a domain and a name separated by a slash",
                        "put the domain before it, for example gpu.example.com/" + name);
            }
        });
    }

    private interface Check {
        void of(ManifestField at, String name);
    }

    private static String readRequired(ManifestField field, Check check) {
        Optional<String> name = field.optionalText();
        if (name.isPresent() && !name.get().isEmpty()) {
            check.of(field, name.get());
        } else if (!field.isPresent() || name.isPresent()) {
            field.required("");
        }
        return name.orElse("");
    }

    static void checkLabel(ManifestField at, String name) {
        if (name.length() > LABEL_MAX) {
            at.tooLong(LABEL_MAX);
        } else if (!isLabel(name)) {
            at.invalid(name, LABEL_MESSAGE, RENAME);
        }
    }

    static void checkSubdomain(ManifestField at, String name, int lengthMax) {
        if (name.length() > lengthMax) {
            at.tooLong(lengthMax);
        } else if (!List.of(name.split("\\.", -1)).stream().allMatch(NameValidation::isLabel)) {
            at.invalid(name, SUBDOMAIN_MESSAGE, RENAME);
        }
    }

    /** Checks the name of an attribute or capacity: a C identifier with an optional domain. */
    static void checkQualified(ManifestField at, String name) {
        int slash = name.indexOf('/');
        if (name.length() > DOMAIN_MAX + 1 + IDENTIFIER_MAX && slash < 0) {
            at.tooLong(IDENTIFIER_MAX);
            return;
        }
        String identifier = name.substring(slash + 1);
        if (slash == 0) {
            at.invalid(name, "the domain must not be empty", RENAME);
        } else if (slash > 0) {
            checkSubdomain(at, name.substring(0, slash).toLowerCase(Locale.ROOT), DOMAIN_MAX);
        }
        if (identifier.isEmpty()) {
            at.invalid(name, "the name must not be empty", RENAME);
        } else if (identifier.length() > IDENTIFIER_MAX) {
            at.tooLong(IDENTIFIER_MAX);
        } else if (!isIdentifier(identifier)) {
            at.invalid(name, IDENTIFIER_MESSAGE, RENAME);
        }
    }

    /** Checks the key of a label, taint or binding condition. */
    static void checkLabelName(ManifestField at, String key) {
        int slash = key.lastIndexOf('/');
        if (slash >= 0) {
            checkSubdomain(at, key.substring(0, slash), SUBDOMAIN_MAX);
        }
        String name = key.substring(slash + 1);
        if (name.length() > LABEL_MAX) {
            at.invalid(key, "name part must be no more than %d bytes".formatted(LABEL_MAX), "write a shorter name");
        } else if (name.isEmpty() || !isWord(name)) {
            at.invalid(key, QUALIFIED_MESSAGE, RENAME);
        }
    }

    static void checkLabelValue(ManifestField at, String value) {
        if (value.length() > LABEL_MAX) {
            at.invalid(value, "must be no more than %d bytes".formatted(LABEL_MAX), "write a shorter value");
        } else if (!value.isEmpty() && !isWord(value)) {
            at.invalid(value, LABEL_VALUE_MESSAGE, "write a value of this form");
        }
    }

    /** Reports items of a list whose names occurred before. */
    static void checkUnique(List<ManifestField> fields, List<String> names) {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < names.size(); i++) {
            if (!seen.add(names.get(i))) {
                fields.get(i).duplicate(names.get(i));
            }
        }
    }

    private static boolean isLabel(String text) {
        return hasForm(text, c -> (c >= 'a' && c <= 'z') || isDigit(c), c -> c == '-');
    }

    private static boolean isWord(String text) {
        return hasForm(text, c -> isLetter(c) || isDigit(c), c -> c == '-' || c == '_' || c == '.');
    }

    private static boolean isIdentifier(String text) {
        return !isDigit(text.charAt(0)) && text.chars().allMatch(c -> isLetter(c) || isDigit(c) || c == '_');
    }

    private static boolean hasForm(String text, IntPredicate ends, IntPredicate between) {
        return !text.isEmpty()
                && ends.test(text.charAt(0))
                && ends.test(text.charAt(text.length() - 1))
                && text.chars().allMatch(c -> ends.test(c) || between.test(c));
    }

    private static boolean isLetter(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }
}
