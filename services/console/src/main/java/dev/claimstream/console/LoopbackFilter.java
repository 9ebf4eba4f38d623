package dev.claimstream.console;

import dev.claimstream.process.http.HostAllowlist;
import io.micronaut.context.annotation.Value;
import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.micronaut.http.server.netty.NettyHttpRequest;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Rejects requests whose {@code Host}, {@code Origin} or absolute URI is not allowed, requests without exactly one {@code Host},
 * and changes that a page of another origin sends.
 * Loopback names, the listen address and {@code claimstream.console.allowed-hosts} are allowed. A page in a browser could otherwise send
 * requests with a foreign host name that resolves to the server (DNS rebinding).
 */
@ServerFilter("/**")
final class LoopbackFilter {
    private static final Pattern ABSOLUTE = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:");
    private static final String REMEDY = "use 127.0.0.1 or localhost";

    private final HostAllowlist allowed;
    private final String remedy;

    LoopbackFilter(
            @Value("${claimstream.console.host:127.0.0.1}") String listenHost,
            @Value("${claimstream.console.allowed-hosts:}") List<String> allowedHosts) {
        allowed = HostAllowlist.of(listenHost, allowedHosts);
        List<String> others = allowed.others();
        remedy = others.isEmpty()
                ? REMEDY
                : REMEDY
                        + ", %s, or add the host to claimstream.console.allowed-hosts"
                                .formatted(String.join(", ", others));
    }

    @RequestFilter
    @Nullable
    HttpResponse<?> check(HttpRequest<?> request) {
        if (isBareRoot(request)) {
            return null; // ErrorBodies answers both meanings of it
        }
        List<String> hosts = request.getHeaders().getAll(HttpHeaders.HOST);
        if (hosts.size() != 1) {
            return wrongNumberOfHosts(hosts.size());
        }
        if (!allowed.allowsHost(hosts.getFirst())) {
            return rejected(HttpHeaders.HOST, hosts.getFirst());
        }
        Optional<String> uri = absoluteUri(request);
        if (uri.isPresent() && !allowed.allows(uri.get())) {
            return RejectedRequestException.response(
                    HttpStatus.MISDIRECTED_REQUEST,
                    "the URI %s is not of this server, which accepts only local requests".formatted(uri.get()),
                    "URI",
                    remedy);
        }
        Optional<String> origin = request.getHeaders().findFirst(HttpHeaders.ORIGIN);
        if (origin.isPresent() && !allowed.allows(origin.get())) {
            return rejected(HttpHeaders.ORIGIN, origin.get());
        }
        return isChange(request) && isOfAnotherPage(request, hosts.getFirst(), origin) ? otherPage() : null;
    }

    private static boolean isChange(HttpRequest<?> request) {
        return switch (request.getMethod()) {
            case GET, HEAD, OPTIONS -> false;
            default -> true;
        };
    }

    /**
     * Returns whether a page of another origin sends the request; another port of this machine is another origin.
     * Programs other than browsers send neither header.
     */
    private static boolean isOfAnotherPage(HttpRequest<?> request, String host, Optional<String> origin) {
        return request.getHeaders()
                .findFirst("Sec-Fetch-Site")
                .map(site -> !site.equals("same-origin") && !site.equals("none"))
                .orElseGet(() -> origin.filter(
                                each -> !host.equalsIgnoreCase(URI.create(each).getAuthority()))
                        .isPresent());
    }

    private static HttpResponse<?> otherPage() {
        return RejectedRequestException.response(
                HttpStatus.FORBIDDEN,
                "a page of another origin sends this change",
                HttpHeaders.ORIGIN,
                "send it from the console's own page or from a program");
    }

    /** Returns the URI of the request line if it names a scheme. It has priority over the header, and the router drops its host. */
    private static Optional<String> absoluteUri(HttpRequest<?> request) {
        return request instanceof NettyHttpRequest<?> received
                ? Optional.of(received.getNativeRequest().uri())
                        .filter(uri -> ABSOLUTE.matcher(uri).lookingAt())
                : Optional.empty();
    }

    /**
     * Returns whether a request is for the root and has no headers.
     * The HTTP server also replaces a request with a malformed URI by such a request.
     */
    static boolean isBareRoot(HttpRequest<?> request) {
        return request.getHeaders().isEmpty() && request.getPath().equals("/");
    }

    /** Returns the response to a request without exactly one {@code Host}. */
    static MutableHttpResponse<String> wrongNumberOfHosts(int number) {
        return RejectedRequestException.response(
                HttpStatus.BAD_REQUEST,
                "the request has %s".formatted(number == 0 ? "no header Host" : number + " headers Host"),
                HttpHeaders.HOST,
                "send one header Host: 127.0.0.1 or localhost");
    }

    private HttpResponse<?> rejected(String header, String value) {
        return RejectedRequestException.response(
                HttpStatus.FORBIDDEN,
                "header %s is %s, and this server accepts only local requests".formatted(header, value),
                header,
                remedy);
    }
}
