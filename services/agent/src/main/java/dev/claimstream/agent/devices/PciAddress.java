package dev.claimstream.agent.devices;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Address of a PCI function: {@code domain:bus:device.function} in hexadecimal, as the kernel writes it. */
public record PciAddress(String text) implements Comparable<PciAddress> {
    private static final Pattern FORM =
            Pattern.compile("(?:0*([0-9a-f]{1,8}):)?([0-9a-f]{2}):([0-9a-f]{2})\\.([0-7])", Pattern.CASE_INSENSITIVE);
    private static final int HEX = 16;

    /** Parses an address in any case, with a domain of up to eight digits or without one. */
    public static Optional<PciAddress> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches() ? Optional.of(new PciAddress(canonical(matcher))) : Optional.empty();
    }

    private static String canonical(Matcher matcher) {
        String domain = Optional.ofNullable(matcher.group(1)).orElse("0");
        return "%04x:%s:%s.%s"
                .formatted(Integer.parseUnsignedInt(domain, HEX), matcher.group(2), matcher.group(3), matcher.group(4))
                .toLowerCase(Locale.ROOT);
    }

    /** The address without the function; the functions of a card share it. */
    public String slot() {
        return text.substring(0, text.lastIndexOf('.'));
    }

    /** The address in characters of a DNS label. */
    public String label() {
        return text.replace(':', '-').replace('.', '-');
    }

    @Override
    public int compareTo(PciAddress other) {
        int byLength = Integer.compare(text.length(), other.text.length());
        return byLength == 0 ? text.compareTo(other.text) : byLength;
    }

    @Override
    public String toString() {
        return text;
    }
}
