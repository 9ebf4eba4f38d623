package dev.claimstream.cli;

import java.net.URI;
import java.util.regex.Pattern;

/** Addresses over HTTP that a user names. */
final class HttpAddress {
    private static final Pattern SLASHES_AT_THE_END = Pattern.compile("/+$");
    private static final int PORT_MAX = 65_535;

    private HttpAddress() {}

    /**
     * The address, without a slash at its end.
     *
     * @param named the option or variable that it is from
     * @throws IllegalArgumentException where the text is none
     */
    static URI of(String named, String text) {
        try {
            URI address = URI.create(SLASHES_AT_THE_END.matcher(text.strip()).replaceFirst(""));
            if (isAddress(address)) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // said below
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
