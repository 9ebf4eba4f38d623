package dev.claimstream.process.http;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The host names under which a server answers: loopback, the listen address and configured names.
 *
 * <p>A page in a browser could otherwise send requests with a foreign host name that resolves to the server (DNS rebinding).
 */
public final class HostAllowlist {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final List<String> others;
    private final Set<String> hosts;

    private HostAllowlist(List<String> others) {
        this.others = List.copyOf(others);
        hosts = Stream.concat(LOOPBACK.stream(), others.stream()).collect(Collectors.toUnmodifiableSet());
    }

    /** The loopback names alone. */
    public static HostAllowlist loopback() {
        return new HostAllowlist(List.of());
    }

    /**
     * The loopback names and others.
     *
     * @param listenHost listen address or name
     * @param more further names, without port; an IPv6 address with or without brackets
     */
    public static HostAllowlist of(String listenHost, Collection<String> more) {
        return new HostAllowlist(Stream.concat(Stream.of(listenHost), more.stream())
                .map(host -> host.strip().toLowerCase(Locale.ROOT))
                .filter(host -> !host.isEmpty() && !LOOPBACK.contains(host))
                .map(host -> host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host)
                .distinct()
                .toList());
    }

    /** The allowed names that are not loopback names, in their order. */
    public List<String> others() {
        return others;
    }

    /** Whether the host of a URL is allowed, at any port. A text that is not a URL is not allowed. */
    public boolean allows(String url) {
        try {
            return Optional.ofNullable(URI.create(url).getHost())
                    .map(host -> host.toLowerCase(Locale.ROOT))
                    .filter(hosts::contains)
                    .isPresent();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Whether the value of a header {@code Host} is allowed. */
    public boolean allowsHost(String header) {
        return allows("http://" + header);
    }

    /**
     * Finds why a request is not for this server.
     *
     * @param named values of the header {@code Host}; a request has exactly one
     * @param origins values of the header {@code Origin}
     * @return the foreign value, or the number of headers; empty if the request is allowed
     */
    public Optional<String> foreign(List<String> named, List<String> origins) {
        if (named.size() != 1) {
            return Optional.of("(%d headers)".formatted(named.size()));
        }
        return named.stream()
                .filter(host -> !allowsHost(host))
                .findFirst()
                .or(() -> origins.stream().filter(url -> !allows(url)).findFirst());
    }
}
