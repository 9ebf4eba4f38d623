package dev.claimstream.selectors.values;

import dev.cel.common.types.OpaqueType;

/** An IP network: an address with a prefix length. The bits after the prefix are kept. */
@SuppressWarnings("Immutable") // the address never changes
public final class NetworkValue extends KubernetesValue {
    private final AddressValue address;
    private final int prefix;

    private NetworkValue(AddressValue address, int prefix) {
        this.address = address;
        this.prefix = prefix;
    }

    /**
     * Parses {@code address/prefix}.
     *
     * @throws IllegalArgumentException if the text is not a network, in upstream's words
     */
    public static NetworkValue parse(String text) {
        int slash = text.lastIndexOf('/');
        if (slash < 0) {
            throw failure(text, "no '/'");
        }
        byte[] bytes = address(text, text.substring(0, slash));
        if (text.indexOf('%') >= 0) {
            throw failure(text, "IPv6 zones cannot be present in a prefix");
        }
        int prefix = prefix(text, text.substring(slash + 1), bytes.length * 8);
        if (AddressParser.isMapped(bytes)) {
            throw new IllegalArgumentException(
                    "IPv4-mapped IPv6 address %s is not allowed".formatted(GoStrings.quote(text)));
        }
        return new NetworkValue(new AddressValue(bytes), prefix);
    }

    private static byte[] address(String text, String part) {
        try {
            return AddressParser.parse(part);
        } catch (IllegalArgumentException e) {
            throw failure(text, String.valueOf(e.getMessage()));
        }
    }

    private static int prefix(String text, String digits, int bits) {
        boolean isNumber =
                digits.length() <= 3 && !digits.isEmpty() && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!isNumber || (digits.length() > 1 && digits.charAt(0) == '0')) {
            throw failure(text, "bad bits after slash: " + GoStrings.quote(digits));
        }
        int prefix = Integer.parseInt(digits);
        if (prefix > bits) {
            throw failure(text, "prefix length out of range");
        }
        return prefix;
    }

    private static IllegalArgumentException failure(String text, String what) {
        return new IllegalArgumentException(
                "network address parse error during conversion from string: netip.ParsePrefix(%s): %s"
                        .formatted(GoStrings.quote(text), what));
    }

    /** Returns the address before the slash. */
    public AddressValue address() {
        return address;
    }

    /** Returns the prefix length. */
    public int prefix() {
        return prefix;
    }

    /** Returns the network with zero bits after the prefix. */
    public NetworkValue masked() {
        byte[] bytes = address.bytes().clone();
        for (int i = 0; i < bytes.length; i++) {
            int kept = Math.clamp(prefix - 8L * i, 0, 8);
            bytes[i] &= (byte) (0xff00 >> kept);
        }
        return new NetworkValue(new AddressValue(bytes), prefix);
    }

    /** Returns whether an address of the same family is in the network. */
    public boolean contains(AddressValue other) {
        return other.length() == address.length()
                && new NetworkValue(other, prefix).masked().address.equals(masked().address);
    }

    /** Returns whether another network is contained in this one. */
    public boolean contains(NetworkValue other) {
        return prefix <= other.prefix && contains(other.address);
    }

    @Override
    public OpaqueType celType() {
        return KubernetesTypes.NETWORK;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NetworkValue n && prefix == n.prefix && address.equals(n.address);
    }

    @Override
    public int hashCode() {
        return 31 * address.hashCode() + prefix;
    }

    @Override
    public String toString() {
        return address + "/" + prefix;
    }
}
