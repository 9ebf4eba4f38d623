package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;
import java.util.Arrays;

/** An IP address without a zone; IPv4-mapped IPv6 addresses are rejected. */
@SuppressWarnings("Immutable") // the bytes never change
public final class AddressValue extends KubernetesValue {
    private final byte[] bytes;

    AddressValue(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if the text is not an address, in upstream's words
     */
    public static AddressValue parse(String text) {
        byte[] bytes;
        try {
            bytes = AddressParser.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "IP Address %s parse error during conversion from string: %s"
                            .formatted(GoStrings.quote(text), e.getMessage()),
                    e);
        }
        if (text.indexOf('%') >= 0) {
            throw new IllegalArgumentException(
                    "IP address %s with zone value is not allowed".formatted(GoStrings.quote(text)));
        }
        if (AddressParser.isMapped(bytes)) {
            throw new IllegalArgumentException(
                    "IPv4-mapped IPv6 address %s is not allowed".formatted(GoStrings.quote(text)));
        }
        return new AddressValue(bytes);
    }

    byte[] bytes() {
        return bytes;
    }

    /** Returns the length in bytes: 4 or 16. */
    public int length() {
        return bytes.length;
    }

    /** Returns the IP version: 4 or 6. */
    public long family() {
        return bytes.length == 4 ? 4 : 6;
    }

    /** Returns whether this is {@code 0.0.0.0} or {@code ::}. */
    public boolean isUnspecified() {
        return isZero(bytes.length);
    }

    /** Returns whether this is in {@code 127.0.0.0/8} or is {@code ::1}. */
    public boolean isLoopback() {
        return bytes.length == 4 ? bytes[0] == 127 : isZero(15) && bytes[15] == 1;
    }

    /** Returns whether this is in {@code 224.0.0.0/24} or {@code ffx2::/16}. */
    public boolean isLinkLocalMulticast() {
        return bytes.length == 4
                ? at(0) == 224 && bytes[1] == 0 && bytes[2] == 0
                : at(0) == 0xff && (at(1) & 0x0f) == 2;
    }

    /** Returns whether this is in {@code 169.254.0.0/16} or {@code fe80::/10}. */
    public boolean isLinkLocalUnicast() {
        return bytes.length == 4 ? at(0) == 169 && at(1) == 254 : at(0) == 0xfe && (at(1) & 0xc0) == 0x80;
    }

    /** Returns whether this is any other unicast address, including private ones. */
    public boolean isGlobalUnicast() {
        return !isUnspecified() && !isLoopback() && !isMulticast() && !isLinkLocalUnicast() && !isBroadcast();
    }

    private boolean isMulticast() {
        return bytes.length == 4 ? (at(0) & 0xf0) == 0xe0 : at(0) == 0xff;
    }

    private boolean isBroadcast() {
        return bytes.length == 4 && at(0) == 255 && at(1) == 255 && at(2) == 255 && at(3) == 255;
    }

    private boolean isZero(int count) {
        for (int i = 0; i < count; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }

    private int at(int index) {
        return bytes[index] & 0xff;
    }

    @Override
    public OpaqueType celType() {
        return KubernetesTypes.ADDRESS;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressValue a && Arrays.equals(bytes, a.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Returns the canonical form. */
    @Override
    public String toString() {
        return AddressParser.format(bytes);
    }
}
