package dev.claimstream.kubernetes.access;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rejects requests with a foreign {@code Host}, {@code Origin} or absolute URI, and changes by pages of another origin.
 *
 * <p>A page in a browser could otherwise send requests with a foreign host name that resolves to the server (DNS rebinding), or let a proxy
 * with a login add the credentials of its user (cross-site request forgery).
 *
 * @param hosts permitted names in lower case, without port
 * @param remedy of a rejected name
 */
public record HostCheck(Set<String> hosts, String remedy) {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final String USE = "use 127.0.0.1 or localhost";
    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int MISDIRECTED = 421;
    private static final String HOST = "Host";
    private static final String ORIGIN = "Origin";

    public HostCheck {
        hosts = Set.copyOf(hosts);
    }

    /**
     * Permits loopback names, the listen address and further names.
     *
     * @param setting the setting with the further names, for the remedy; empty if there is none
     */
    public static HostCheck of(String listenHost, List<String> allowedHosts, String setting) {
        List<String> others = Stream.concat(Stream.of(listenHost), allowedHosts.stream())
                .map(host -> host.strip().toLowerCase(Locale.ROOT))
                .filter(host -> !host.isEmpty() && !LOOPBACK.contains(host))
                .map(host -> host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host)
                .toList();
        return new HostCheck(
                Stream.concat(LOOPBACK.stream(), others.stream()).collect(Collectors.toSet()),
                others.isEmpty()
                        ? USE
                        : USE + ", %s, or add the host to %s".formatted(String.join(", ", others), setting));
    }

    /**
     * The parts of a request that are checked.
     *
     * @param hosts all headers {@code Host}
     * @param absoluteUri URI of the request line if it names a scheme; it has priority over the header
     * @param site header {@code Sec-Fetch-Site}, which browsers send
     */
    public record RequestSource(
            String method,
            List<String> hosts,
            Optional<String> absoluteUri,
            Optional<String> origin,
            Optional<String> site) {
        public RequestSource {
            hosts = List.copyOf(hosts);
        }

        private boolean isChange() {
            return switch (method) {
                case "GET", "HEAD", "OPTIONS" -> false;
                default -> true;
            };
        }

        /** Returns whether a page of another origin sends the request; another port of this machine is another origin. */
        private boolean isOfAnotherPage() {
            return site.map(each -> !each.equals("same-origin") && !each.equals("none"))
                    .orElseGet(() -> origin.filter(each -> !hosts.getFirst()
                                    .equalsIgnoreCase(URI.create(each).getAuthority()))
                            .isPresent());
        }
    }

    /**
     * Checks a request.
     *
     * @throws AccessDeniedException if the request is rejected: 400, 403 or 421
     */
    public void check(RequestSource request) {
        if (request.hosts.size() != 1) {
            throw wrongNumberOfHosts(request.hosts.size());
        }
        if (!isAllowed("http://" + request.hosts.getFirst())) {
            throw rejected(HOST, request.hosts.getFirst());
        }
        if (request.absoluteUri.isPresent() && !isAllowed(request.absoluteUri.get())) {
            throw new AccessDeniedException(
                    MISDIRECTED,
                    "the URI %s is not of this server, which accepts only local requests"
                            .formatted(request.absoluteUri.get()),
                    "URI",
                    remedy);
        }
        if (request.origin.isPresent() && !isAllowed(request.origin.get())) {
            throw rejected(ORIGIN, request.origin.get());
        }
        if (request.isChange() && request.isOfAnotherPage()) {
            throw new AccessDeniedException(
                    FORBIDDEN,
                    "a page of another origin sends this change",
                    ORIGIN,
                    "send it from the console's own page or from a program");
        }
    }

    /** The rejection of a request without exactly one {@code Host}. */
    public static AccessDeniedException wrongNumberOfHosts(int number) {
        return new AccessDeniedException(
                BAD_REQUEST,
                "the request has %s".formatted(number == 0 ? "no header Host" : number + " headers Host"),
                HOST,
                "send one header Host: 127.0.0.1 or localhost");
    }

    private AccessDeniedException rejected(String header, String value) {
        return new AccessDeniedException(
                FORBIDDEN,
                "header %s is %s, and this server accepts only local requests".formatted(header, value),
                header,
                remedy);
    }

    private boolean isAllowed(String url) {
        try {
            return Optional.ofNullable(URI.create(url).getHost())
                    .map(host -> host.toLowerCase(Locale.ROOT))
                    .filter(hosts::contains)
                    .isPresent();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
