package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.claimstream.selectors.values.KubernetesTypes.VERSION;

import dev.cel.common.types.CelType;
import dev.claimstream.dra.SemanticVersion;
import dev.claimstream.selectors.values.SemverValue;
import java.util.List;

/** {@code semver(...)} and its member functions. */
final class VersionFunctions {
    private static final List<CelType> TEXT = List.of(STRING);
    private static final List<CelType> TEXT_AND_CHOICE = List.of(STRING, BOOL);
    private static final List<CelType> ONE = List.of(VERSION);
    private static final List<CelType> TWO = List.of(VERSION, VERSION);

    private VersionFunctions() {}

    static void addTo(FunctionRegistry functions) {
        functions
                .global("semver", "string_to_semver", VERSION, TEXT, a -> value(a[0], false))
                .global("semver", "string_bool_to_semver", VERSION, TEXT_AND_CHOICE, a -> value(a[0], (Boolean) a[1]))
                .global("isSemver", "is_semver_string", BOOL, TEXT, a -> isVersion(a[0], false))
                .global(
                        "isSemver",
                        "is_semver_string_bool",
                        BOOL,
                        TEXT_AND_CHOICE,
                        a -> isVersion(a[0], (Boolean) a[1]))
                .member("major", "semver_major", INT, ONE, a -> of(a[0]).major())
                .member("minor", "semver_minor", INT, ONE, a -> of(a[0]).minor())
                .member("patch", "semver_patch", INT, ONE, a -> of(a[0]).patch())
                .member("isGreaterThan", "semver_is_greater_than", BOOL, TWO, a -> compare(a) > 0)
                .member("isLessThan", "semver_is_less_than", BOOL, TWO, a -> compare(a) < 0)
                .member("compareTo", "semver_compare_to", INT, TWO, a -> (long) Integer.signum(compare(a)));
    }

    private static SemanticVersion of(Object value) {
        return ((SemverValue) value).version();
    }

    private static int compare(Object[] arguments) {
        return of(arguments[0]).compareTo(of(arguments[1]));
    }

    private static SemverValue value(Object text, boolean normalize) {
        return SemverValue.of(parse((String) text, normalize), (String) text);
    }

    private static SemanticVersion parse(String text, boolean normalize) {
        return normalize ? SemanticVersion.parseTolerant(text) : SemanticVersion.parse(text);
    }

    private static boolean isVersion(Object text, boolean normalize) {
        try {
            parse((String) text, normalize);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
