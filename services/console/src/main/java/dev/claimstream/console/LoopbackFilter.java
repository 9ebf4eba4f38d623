package dev.claimstream.console;

import dev.claimstream.kubernetes.access.AccessDeniedException;
import dev.claimstream.kubernetes.access.HostCheck;
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
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Applies {@link HostCheck}: loopback names, the listen address and {@code claimstream.console.allowed-hosts} are allowed.
 */
@ServerFilter("/**")
final class LoopbackFilter {
    private static final Pattern ABSOLUTE = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:");

    private final HostCheck hosts;

    LoopbackFilter(
            @Value("${claimstream.console.host:127.0.0.1}") String listenHost,
            @Value("${claimstream.console.allowed-hosts:}") List<String> allowedHosts) {
        hosts = HostCheck.of(listenHost, allowedHosts, "claimstream.console.allowed-hosts");
    }

    @RequestFilter
    @Nullable
    HttpResponse<?> check(HttpRequest<?> request) {
        if (isBareRoot(request)) {
            return null; // ErrorBodies answers both meanings of it
        }
        try {
            hosts.check(new HostCheck.RequestSource(
                    request.getMethodName(),
                    request.getHeaders().getAll(HttpHeaders.HOST),
                    absoluteUri(request),
                    request.getHeaders().findFirst(HttpHeaders.ORIGIN),
                    request.getHeaders().findFirst("Sec-Fetch-Site")));
            return null;
        } catch (AccessDeniedException e) {
            return response(e);
        }
    }

    /** Returns the URI of the request line if it names a scheme. The router drops its host. */
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
        return response(HostCheck.wrongNumberOfHosts(number));
    }

    private static MutableHttpResponse<String> response(AccessDeniedException denied) {
        return RejectedRequestException.response(
                HttpStatus.valueOf(denied.status()), denied.problem(), denied.where(), denied.remedy());
    }
}
