package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;
import dev.claimstream.selectors.values.UrlEscapes.UrlPart;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** An absolute URL or an absolute path; values are equal if their texts are equal. */
public final class UrlValue extends KubernetesValue {
    private final String scheme;
    private final String authority;
    private final String host;
    private final String path;
    private final String query;
    private final String rest;

    UrlValue(String scheme, String authority, String host, String path, String query, String rest) {
        this.scheme = scheme;
        this.authority = authority;
        this.host = host;
        this.path = path;
        this.query = query;
        this.rest = rest;
    }

    /**
     * Parses a URL.
     *
     * @throws IllegalArgumentException if the text is not a URL, in upstream's words
     */
    public static UrlValue parse(String text) {
        UrlParser.parse(text, true);
        int fragment = text.indexOf('#');
        return fragment < 0 ? UrlParser.parse(text, false) : withFragment(text, fragment);
    }

    private static UrlValue withFragment(String text, int at) {
        UrlValue url = UrlParser.parse(text.substring(0, at), false);
        String fragment = text.substring(at + 1);
        try {
            String plain = UrlEscapes.unescape(fragment, UrlPart.FRAGMENT);
            String written = UrlEscapes.isEscaped(fragment, UrlPart.FRAGMENT)
                    ? fragment
                    : UrlEscapes.escape(plain, UrlPart.FRAGMENT);
            return fragment.isEmpty()
                    ? url
                    : new UrlValue(url.scheme, url.authority, url.host, url.path, url.query, url.rest + "#" + written);
        } catch (IllegalArgumentException e) {
            throw UrlParser.failure(text, String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Checks a text without keeping the result.
     *
     * @throws IllegalArgumentException if the text is not a URL, in upstream's words
     */
    public static void check(String text) {
        UrlParser.parse(text, true);
    }

    /** Returns the scheme in lower case; empty for a path. */
    public String scheme() {
        return scheme;
    }

    /** Returns the host with the port and the brackets of an IPv6 address. */
    public String host() {
        return host;
    }

    /** Returns the host without port and brackets. */
    public String hostname() {
        String name = host.substring(0, portAt());
        return name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name;
    }

    /** Returns the port; empty if the URL has none. */
    public String port() {
        int at = portAt();
        return at == host.length() ? "" : host.substring(at + 1);
    }

    private int portAt() {
        int colon = host.lastIndexOf(':');
        return colon >= 0 && UrlParser.isPort(host.substring(colon)) ? colon : host.length();
    }

    /** Returns the path as written, or escaped if the written form is not a valid URL path. */
    public String escapedPath() {
        return path;
    }

    /** Returns the values of each parameter, without malformed parameters. */
    public SortedMap<String, List<String>> query() {
        SortedMap<String, List<String>> parameters = new TreeMap<>();
        for (String parameter : GoStrings.split(query, "&", -1)) {
            if (!parameter.isEmpty() && parameter.indexOf(';') < 0) {
                addParameter(parameters, parameter);
            }
        }
        return parameters;
    }

    private static void addParameter(SortedMap<String, List<String>> parameters, String parameter) {
        int equals = parameter.indexOf('=');
        try {
            String name = UrlEscapes.unescape(equals < 0 ? parameter : parameter.substring(0, equals), UrlPart.QUERY);
            String value = UrlEscapes.unescape(equals < 0 ? "" : parameter.substring(equals + 1), UrlPart.QUERY);
            parameters.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
        } catch (IllegalArgumentException e) {
            // a malformed parameter is skipped, as upstream does
        }
    }

    @Override
    public OpaqueType celType() {
        return KubernetesTypes.URL;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UrlValue url && toString().equals(url.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return (scheme.isEmpty() ? "" : scheme + ":") + authority + path + rest;
    }
}
