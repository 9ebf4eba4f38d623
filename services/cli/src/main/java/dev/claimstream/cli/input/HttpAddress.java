package dev.claimstream.cli.input;

import java.net.URI;
import java.util.regex.Pattern;

/** Parses the HTTP addresses of options and environment variables. */
public final class HttpAddress {
    private static final Pattern SLASHES_AT_THE_END = Pattern.compile("/+$");
    private static final int PORT_MAX = 65_535;

    private HttpAddress() {}

    /**
     * Returns the address without a trailing slash.
     *
     * @param named option or variable of the text, for the error text
     * @throws IllegalArgumentException if the text is not an HTTP address
     */
    public static URI of(String named, String text) {
        try {
            URI address = URI.create(SLASHES_AT_THE_END.matcher(text.strip()).replaceFirst(""));
            if (isAddress(address)) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        throw new IllegalArgumentException("%s %s: use an address like http://127.0.0.1:8410".formatted(named, text));
    }

    private static boolean isAddress(URI address) {
        boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
        return isHttp
                && address.getHost() != null
                && address.getPort() <= PORT_MAX
                && address.getRawUserInfo() == null
                && address.getRawQuery() == null
                && address.getRawFragment() == null;
    }
}
