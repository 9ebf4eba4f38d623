package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.claimstream.selectors.values.KubernetesTypes.URL;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.claimstream.selectors.values.UrlValue;
import java.util.List;

/** {@code url(...)} and its member functions. */
final class UrlFunctions {
    private static final List<CelType> TEXT = List.of(STRING);
    private static final List<CelType> ONE = List.of(URL);

    private UrlFunctions() {}

    static void addTo(FunctionRegistry functions) {
        functions
                .global("url", "string_to_url", URL, TEXT, a -> parsed((String) a[0]))
                .global("isURL", "is_url_string", BOOL, TEXT, a -> isUrl((String) a[0]))
                .member(
                        "getScheme",
                        "url_get_scheme",
                        STRING,
                        ONE,
                        a -> url(a[0]).scheme())
                .member("getHost", "url_get_host", STRING, ONE, a -> url(a[0]).host())
                .member(
                        "getHostname",
                        "url_get_hostname",
                        STRING,
                        ONE,
                        a -> url(a[0]).hostname())
                .member("getPort", "url_get_port", STRING, ONE, a -> url(a[0]).port())
                .member(
                        "getEscapedPath",
                        "url_get_escaped_path",
                        STRING,
                        ONE,
                        a -> url(a[0]).escapedPath())
                .member(
                        "getQuery",
                        "url_get_query",
                        MapType.create(STRING, ListType.create(STRING)),
                        ONE,
                        a -> url(a[0]).query());
    }

    private static UrlValue url(Object value) {
        return (UrlValue) value;
    }

    private static UrlValue parsed(String text) {
        try {
            return UrlValue.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CallException("URL parse error during conversion from string: " + e.getMessage(), e);
        }
    }

    private static boolean isUrl(String text) {
        try {
            UrlValue.check(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
