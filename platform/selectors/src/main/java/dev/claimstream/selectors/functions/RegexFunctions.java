package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import com.google.re2j.Matcher;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import java.util.ArrayList;
import java.util.List;

/** Regular expressions in RE2 syntax, which take time linear in the length of the text. */
final class RegexFunctions {
    private static final CelType STRINGS = ListType.create(STRING);

    private RegexFunctions() {}

    static void addTo(FunctionRegistry functions) {
        List<CelType> two = List.of(STRING, STRING);
        functions
                .member("find", "string_find_string", STRING, two, a -> find(a[0], a[1]))
                .member("findAll", "string_find_all_string", STRINGS, two, a -> findAll(a[0], a[1], -1))
                .member(
                        "findAll",
                        "string_find_all_string_int",
                        STRINGS,
                        List.of(STRING, STRING, INT),
                        a -> findAll(a[0], a[1], (Long) a[2]));
    }

    /** Adds the two standard forms of {@code matches}, which CEL itself declares. */
    static void addMatches(FunctionRegistry functions) {
        List<CelType> two = List.of(STRING, STRING);
        functions
                .global(
                        "matches",
                        "matches",
                        BOOL,
                        two,
                        a -> matcher(a[0], a[1]).find())
                .member(
                        "matches",
                        "matches_string",
                        BOOL,
                        two,
                        a -> matcher(a[0], a[1]).find());
    }

    private static Matcher matcher(Object text, Object pattern) {
        return RegexCache.of((String) pattern).matcher((String) text);
    }

    private static Matcher finder(Object text, Object pattern) {
        try {
            return matcher(text, pattern);
        } catch (IllegalArgumentException e) {
            throw new CallException("Illegal regex: " + e.getMessage(), e);
        }
    }

    private static String find(Object text, Object pattern) {
        Matcher matcher = finder(text, pattern);
        return matcher.find() ? matcher.group() : "";
    }

    private static List<String> findAll(Object text, Object pattern, long limit) {
        List<String> found = new ArrayList<>();
        Matcher matcher = finder(text, pattern);
        int last = -1;
        while ((limit < 0 || found.size() < limit) && matcher.find()) {
            // like upstream, skip an empty match directly after another match
            if (matcher.start() < matcher.end() || matcher.start() != last) {
                found.add(matcher.group());
            }
            last = matcher.end();
        }
        return found;
    }
}
