package dev.claimstream.selectors.values;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Percent escapes as Go's {@code net/url} reads and writes them. */
final class UrlEscapes {
    /** The part of a URL that an escape is in; each leaves other characters as they are. */
    enum Part {
        PATH("$&+,/:;=@"),
        HOST("!$&'()*+,;=:[]<>\""),
        USER("$&+,;="),
        QUERY(""),
        FRAGMENT("$&+,/:;=?@!()*");

        private final String plain;

        Part(String plain) {
            this.plain = plain;
        }
    }

    private UrlEscapes() {}

    private static boolean isPlain(int c, Part part) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || "-_.~".indexOf(c) >= 0
                || part.plain.indexOf(c) >= 0;
    }

    static String escape(String text, Part part) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            int c = b & 0xff;
            out.append(c < 0x80 && isPlain(c, part) ? Character.toString(c) : String.format(Locale.ROOT, "%%%02X", c));
        }
        return out.toString();
    }

    /**
     * The text with its escapes replaced.
     *
     * @throws IllegalArgumentException where an escape is malformed or a host has a character that it must not have
     */
    static String unescape(String text, Part part) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            int c = bytes[i] & 0xff;
            if (c == '%') {
                out.write(escaped(bytes, i, part));
                i += 2;
            } else if (part == Part.HOST && c < 0x80 && !isPlain(c, part)) {
                throw new IllegalArgumentException(
                        "invalid character %s in host name".formatted(Text.quote(Character.toString(c))));
            } else {
                out.write(c == '+' && part == Part.QUERY ? ' ' : c);
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static int escaped(byte[] bytes, int at, Part part) {
        int high = at + 2 < bytes.length ? Character.digit(bytes[at + 1], 16) : -1;
        int low = at + 2 < bytes.length ? Character.digit(bytes[at + 2], 16) : -1;
        boolean hidesAscii = part == Part.HOST && high < 8 && !(high == 2 && low == 5);
        if (high < 0 || low < 0 || hidesAscii) {
            String rest = new String(bytes, at, Math.min(3, bytes.length - at), StandardCharsets.UTF_8);
            throw new IllegalArgumentException("invalid URL escape " + Text.quote(rest));
        }
        return high * 16 + low;
    }

    /** Whether the text can stand in a URL as it is. */
    static boolean isEscaped(String text, Part part) {
        return text.chars().allMatch(c -> c < 0x80 && ("!$&'()*+,;=:@[]%".indexOf(c) >= 0 || isPlain(c, part)));
    }
}
