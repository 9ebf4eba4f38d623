package dev.claimstream.selectors.values;

import java.util.Arrays;
import java.util.Locale;

/** Parses and formats IP addresses like Go's {@code net/netip}, with its errors. */
final class AddressParser {
    private AddressParser() {}

    static byte[] parse(String text) {
        for (int i = 0; i < text.length(); i++) {
            switch (text.charAt(i)) {
                case '.' -> {
                    return parse4(text);
                }
                case ':' -> {
                    return new Ipv6Parser(text).parse();
                }
                case '%' -> throw failure(text, "missing IPv6 address");
                default -> {}
            }
        }
        throw failure(text, "unable to parse IP");
    }

    private static IllegalArgumentException failure(String text, String what) {
        return new IllegalArgumentException("ParseAddr(%s): %s".formatted(GoStrings.quote(text), what));
    }

    private static byte[] parse4(String text) {
        byte[] bytes = new byte[4];
        fill4(text, text, bytes, 0);
        return bytes;
    }

    /** Parses the four fields of {@code part} into {@code bytes}; errors contain the whole text. */
    private static void fill4(String text, String part, byte[] bytes, int offset) {
        int value = 0;
        int field = 0;
        int digits = 0;
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (c >= '0' && c <= '9') {
                if (digits == 1 && value == 0) {
                    throw failure(text, "IPv4 field has octet with leading zero");
                }
                value = value * 10 + (c - '0');
                digits++;
                if (value > 255) {
                    throw failure(text, "IPv4 field has value >255");
                }
            } else if (c == '.') {
                if (i == 0 || i == part.length() - 1 || part.charAt(i - 1) == '.') {
                    throw failure(text, "IPv4 field must have at least one digit" + at(part.substring(i)));
                }
                if (field == 3) {
                    throw failure(text, "IPv4 address too long");
                }
                bytes[offset + field++] = (byte) value;
                value = 0;
                digits = 0;
            } else {
                throw failure(text, "unexpected character" + at(part.substring(i)));
            }
        }
        if (field < 3) {
            throw failure(text, "IPv4 address too short");
        }
        bytes[offset + 3] = (byte) value;
    }

    private static String at(String rest) {
        return " (at %s)".formatted(GoStrings.quote(rest));
    }

    /** Parses an IPv6 address: groups of up to four digits, at most one gap, an optional IPv4 tail and an optional zone. */
    private static final class Ipv6Parser {
        private final String text;
        private final byte[] bytes = new byte[16];
        private String rest;
        private int filled;
        private int gap = -1;

        Ipv6Parser(String text) {
            this.text = text;
            int zone = text.indexOf('%');
            if (zone == text.length() - 1 && zone >= 0) {
                throw failure(text, "zone must be a non-empty string");
            }
            this.rest = zone < 0 ? text : text.substring(0, zone);
        }

        byte[] parse() {
            if (rest.startsWith("::")) {
                gap = 0;
                rest = rest.substring(2);
            }
            boolean more = !(gap == 0 && rest.isEmpty());
            while (more && filled < 16) {
                more = group();
            }
            if (!rest.isEmpty()) {
                throw failure(text, "trailing garbage after address" + at(rest));
            }
            expandGap();
            return bytes;
        }

        /** Parses one group and its separator; returns false at the end. */
        private boolean group() {
            int end = 0;
            int value = 0;
            while (end < rest.length() && Character.digit(rest.charAt(end), 16) >= 0) {
                if (end > 3) {
                    throw failure(text, "each group must have 4 or less digits" + at(rest));
                }
                value = value * 16 + Character.digit(rest.charAt(end++), 16);
            }
            if (end == 0) {
                throw failure(text, "each colon-separated field must have at least one digit" + at(rest));
            }
            if (end < rest.length() && rest.charAt(end) == '.') {
                return tail4();
            }
            bytes[filled++] = (byte) (value >> 8);
            bytes[filled++] = (byte) value;
            rest = rest.substring(end);
            return !rest.isEmpty() && separator();
        }

        private boolean tail4() {
            if (gap < 0 && filled != 12) {
                throw failure(text, "embedded IPv4 address must replace the final 2 fields of the address" + at(rest));
            }
            if (filled + 4 > 16) {
                throw failure(text, "too many hex fields to fit an embedded IPv4 at the end of the address" + at(rest));
            }
            fill4(text, rest, bytes, filled);
            filled += 4;
            rest = "";
            return false;
        }

        private boolean separator() {
            if (rest.charAt(0) != ':') {
                throw failure(text, "unexpected character, want colon" + at(rest));
            }
            if (rest.length() == 1) {
                throw failure(text, "colon must be followed by more characters" + at(rest));
            }
            rest = rest.substring(1);
            if (rest.charAt(0) != ':') {
                return true;
            }
            if (gap >= 0) {
                throw failure(text, "multiple :: in address" + at(rest));
            }
            gap = filled;
            rest = rest.substring(1);
            return !rest.isEmpty();
        }

        private void expandGap() {
            if (filled == 16) {
                if (gap >= 0) {
                    throw failure(text, "the :: must expand to at least one field of zeros");
                }
                return;
            }
            if (gap < 0) {
                throw failure(text, "address string too short");
            }
            int moved = filled - gap;
            System.arraycopy(bytes, gap, bytes, 16 - moved, moved);
            Arrays.fill(bytes, gap, 16 - moved, (byte) 0);
        }
    }

    static boolean isMapped(byte[] bytes) {
        if (bytes.length != 16 || bytes[10] != -1 || bytes[11] != -1) {
            return false;
        }
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    static String format(byte[] bytes) {
        return bytes.length == 4 ? format4(bytes) : format6(bytes);
    }

    private static String format4(byte[] bytes) {
        return String.format(
                Locale.ROOT, "%d.%d.%d.%d", bytes[0] & 0xff, bytes[1] & 0xff, bytes[2] & 0xff, bytes[3] & 0xff);
    }

    /** Formats an address; the first longest run of at least two zero groups becomes {@code ::}. */
    private static String format6(byte[] bytes) {
        int start = -1;
        int length = 1;
        for (int i = 0; i < 8; i++) {
            int end = i;
            while (end < 8 && group(bytes, end) == 0) {
                end++;
            }
            if (end - i > length) {
                start = i;
                length = end - i;
            }
        }
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == start) {
                out.append("::");
                i += length - 1;
            } else {
                out.append(i == 0 || i == start + length ? "" : ":").append(Integer.toHexString(group(bytes, i)));
            }
        }
        return out.toString();
    }

    private static int group(byte[] bytes, int index) {
        return (bytes[2 * index] & 0xff) << 8 | (bytes[2 * index + 1] & 0xff);
    }
}
