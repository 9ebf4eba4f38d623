package dev.claimstream.selectors.values;

import dev.claimstream.selectors.values.UrlEscapes.UrlPart;
import java.util.Locale;

/** Parses URLs like Go's {@code net/url}, with its errors. */
final class UrlParser {
    private UrlParser() {}

    /**
     * Parses a URL.
     *
     * @param strict accepts only absolute URLs and absolute paths, without fragments
     */
    static UrlValue parse(String text, boolean strict) {
        try {
            return read(text, strict);
        } catch (IllegalArgumentException e) {
            throw failure(text, String.valueOf(e.getMessage()), e);
        }
    }

    static IllegalArgumentException failure(String text, String what, Exception cause) {
        return new IllegalArgumentException("parse %s: %s".formatted(GoStrings.quote(text), what), cause);
    }

    private static UrlValue read(String text, boolean strict) {
        if (text.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
            throw new IllegalArgumentException("net/url: invalid control character in URL");
        }
        if (text.isEmpty() && strict) {
            throw new IllegalArgumentException("empty url");
        }
        if (text.equals("*")) {
            return new UrlValue("", "", "", "*", "", "");
        }
        int colon = schemeEnd(text);
        String scheme = text.substring(0, Math.max(colon, 0)).toLowerCase(Locale.ROOT);
        String hierarchy = text.substring(colon + 1);
        int mark = hierarchy.indexOf('?');
        String query = mark < 0 ? "" : hierarchy.substring(mark + 1);
        String rest = mark < 0 ? "" : hierarchy.substring(mark);
        String path = mark < 0 ? hierarchy : hierarchy.substring(0, mark);
        if (!path.startsWith("/")) {
            return withoutRoot(scheme, path, query, rest, strict);
        }
        boolean hasAuthority = path.startsWith("//") && (!scheme.isEmpty() || (!strict && !path.startsWith("///")));
        return hasAuthority
                ? withAuthority(scheme, path.substring(2), query, rest)
                : new UrlValue(scheme, "", "", path(path), query, rest);
    }

    /** Returns the end of the scheme, or -1 if there is none. */
    private static int schemeEnd(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (c == ':' && i == 0) {
                throw new IllegalArgumentException("missing protocol scheme");
            }
            if (c == ':') {
                return i;
            }
            if (!isLetter && (i == 0 || "0123456789+-.".indexOf(c) < 0)) {
                return -1;
            }
        }
        return -1;
    }

    /** Parses a URL without a leading slash; after a scheme the rest is opaque. */
    private static UrlValue withoutRoot(String scheme, String path, String query, String rest, boolean strict) {
        if (!scheme.isEmpty()) {
            return new UrlValue(scheme, path, "", "", query, rest);
        }
        if (strict) {
            throw new IllegalArgumentException("invalid URI for request");
        }
        if (GoStrings.split(path, "/", 2).getFirst().contains(":")) {
            throw new IllegalArgumentException("first path segment in URL cannot contain colon");
        }
        return new UrlValue("", "", "", path(path), query, rest);
    }

    private static UrlValue withAuthority(String scheme, String place, String query, String rest) {
        int slash = place.indexOf('/');
        String authority = slash < 0 ? place : place.substring(0, slash);
        String path = slash < 0 ? "" : place.substring(slash);
        int at = authority.lastIndexOf('@');
        String host = host(scheme, authority.substring(at + 1));
        String user = at < 0 ? "" : user(authority.substring(0, at)) + "@";
        String slashes = authority.isEmpty() && path.isEmpty() ? "" : "//";
        return new UrlValue(
                scheme, slashes + user + UrlEscapes.escape(host, UrlPart.HOST), host, path(path), query, rest);
    }

    private static String user(String text) {
        boolean isValid = text.chars()
                .allMatch(c -> (c < 0x80 && Character.isLetterOrDigit(c)) || "-._:~!$&'()*+,;=%@".indexOf(c) >= 0);
        if (!isValid) {
            throw new IllegalArgumentException("net/url: invalid userinfo");
        }
        int colon = text.indexOf(':');
        if (colon < 0) {
            return UrlEscapes.escape(UrlEscapes.unescape(text, UrlPart.USER), UrlPart.USER);
        }
        return UrlEscapes.escape(UrlEscapes.unescape(text.substring(0, colon), UrlPart.USER), UrlPart.USER)
                + ":"
                + UrlEscapes.escape(UrlEscapes.unescape(text.substring(colon + 1), UrlPart.USER), UrlPart.USER);
    }

    private static String host(String scheme, String text) {
        int open = text.lastIndexOf('[');
        if (open > 0) {
            throw new IllegalArgumentException("invalid IP-literal");
        }
        if (open == 0) {
            return literal(text);
        }
        int colon = text.indexOf(':');
        boolean isStrict = scheme.equals("http") || scheme.equals("https");
        checkPort(colon < 0 ? "" : text.substring(isStrict ? colon : text.lastIndexOf(':')));
        return UrlEscapes.unescape(text, UrlPart.HOST);
    }

    private static String literal(String text) {
        int close = text.lastIndexOf(']');
        if (close < 0) {
            throw new IllegalArgumentException("missing ']' in host");
        }
        checkPort(text.substring(close + 1));
        String address = UrlEscapes.unescape(text.substring(1, close), UrlPart.HOST);
        byte[] bytes;
        try {
            bytes = AddressParser.parse(address);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("invalid host: " + e.getMessage(), e);
        }
        if (bytes.length == 4) {
            throw new IllegalArgumentException("invalid IP-literal");
        }
        return "[" + address + "]" + text.substring(close + 1);
    }

    private static void checkPort(String port) {
        if (!isPort(port)) {
            throw new IllegalArgumentException("invalid port %s after host".formatted(GoStrings.quote(port)));
        }
    }

    /** Returns whether the text is empty, or a colon and digits. */
    static boolean isPort(String text) {
        return text.isEmpty() || (text.charAt(0) == ':' && text.chars().skip(1).allMatch(c -> c >= '0' && c <= '9'));
    }

    private static String path(String text) {
        String plain = UrlEscapes.unescape(text, UrlPart.PATH);
        return UrlEscapes.isEscaped(text, UrlPart.PATH) ? text : UrlEscapes.escape(plain, UrlPart.PATH);
    }
}
