package dev.claimstream.selectors.values;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Reads and writes percent escapes like Go's {@code net/url}. */
final class UrlEscapes {
    /** The part of a URL; each part leaves other characters unescaped. */
    enum UrlPart {
        PATH("$&+,/:;=@"),
        HOST("!$&'()*+,;=:[]<>\""),
        USER("$&+,;="),
        QUERY(""),
        FRAGMENT("$&+,/:;=?@!()*");

        private final String plain;

        UrlPart(String plain) {
            this.plain = plain;
        }
    }

    private UrlEscapes() {}

    private static boolean isPlain(int c, UrlPart part) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || "-_.~".indexOf(c) >= 0
                || part.plain.indexOf(c) >= 0;
    }

    static String escape(String text, UrlPart part) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            int c = b & 0xff;
            out.append(c < 0x80 && isPlain(c, part) ? Character.toString(c) : String.format(Locale.ROOT, "%%%02X", c));
        }
        return out.toString();
    }

    /**
     * Replaces the escapes of a text.
     *
     * @throws IllegalArgumentException if an escape is malformed, or a host contains a forbidden character
     */
    static String unescape(String text, UrlPart part) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            int c = bytes[i] & 0xff;
            if (c == '%') {
                out.write(escaped(bytes, i, part));
                i += 2;
            } else if (part == UrlPart.HOST && c < 0x80 && !isPlain(c, part)) {
                throw new IllegalArgumentException(
                        "invalid character %s in host name".formatted(GoStrings.quote(Character.toString(c))));
            } else {
                out.write(c == '+' && part == UrlPart.QUERY ? ' ' : c);
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static int escaped(byte[] bytes, int at, UrlPart part) {
        int high = at + 2 < bytes.length ? Character.digit(bytes[at + 1], 16) : -1;
        int low = at + 2 < bytes.length ? Character.digit(bytes[at + 2], 16) : -1;
        boolean hidesAscii = part == UrlPart.HOST && high < 8 && !(high == 2 && low == 5);
        if (high < 0 || low < 0 || hidesAscii) {
            String rest = new String(bytes, at, Math.min(3, bytes.length - at), StandardCharsets.UTF_8);
            throw new IllegalArgumentException("invalid URL escape " + GoStrings.quote(rest));
        }
        return high * 16 + low;
    }

    /** Returns whether the text can be part of a URL without further escapes. */
    static boolean isEscaped(String text, UrlPart part) {
        return text.chars().allMatch(c -> c < 0x80 && ("!$&'()*+,;=:@[]%".indexOf(c) >= 0 || isPlain(c, part)));
    }
}
