package dev.claimstream.console;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import java.net.URI;
import java.util.Optional;
import java.util.Set;

/**
 * Rejects requests whose {@code Host} or {@code Origin} is not loopback.
 * The server listens on loopback only. A page in a local browser could still send requests, with a foreign host name that resolves to
 * loopback (DNS rebinding).
 */
@ServerFilter("/**")
final class LoopbackFilter {
    private static final Set<String> HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");

    @RequestFilter
    @Nullable
    HttpResponse<?> check(HttpRequest<?> request) {
        Optional<String> host = request.getHeaders().findFirst(HttpHeaders.HOST);
        if (host.isEmpty() || !isLoopback("http://" + host.get())) {
            return rejected("Host", host.orElse("nothing"));
        }
        Optional<String> origin = request.getHeaders().findFirst(HttpHeaders.ORIGIN);
        if (origin.isPresent() && !isLoopback(origin.get())) {
            return rejected("Origin", origin.get());
        }
        return null;
    }

    private static HttpResponse<?> rejected(String header, String value) {
        return RejectedRequestException.response(
                HttpStatus.FORBIDDEN,
                "header %s is %s, and this server accepts only local requests".formatted(header, value),
                header,
                "use 127.0.0.1 or localhost");
    }

    private static boolean isLoopback(String url) {
        try {
            return Optional.ofNullable(URI.create(url).getHost())
                    .filter(HOSTS::contains)
                    .isPresent();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
