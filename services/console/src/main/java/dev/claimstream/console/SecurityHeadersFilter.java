package dev.claimstream.console;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;

/**
 * Adds security headers to answers that have none of their own: a browser shows them as text, loads nothing for them, and shows them in no
 * frame. {@link PageController} sets the policy of the page itself.
 */
@ServerFilter("/**")
final class SecurityHeadersFilter {
    private static final String POLICY = "Content-Security-Policy";

    /** The page of the schemas has its style in itself, and no script. */
    private static final String STYLE = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

    private static final String NOTHING = "default-src 'none'; frame-ancestors 'none'";

    @ResponseFilter
    void add(HttpRequest<?> request, MutableHttpResponse<?> response) {
        if (response.getHeaders().findFirst(POLICY).isEmpty()) {
            response.header(POLICY, request.getPath().equals("/schemas") ? STYLE : NOTHING);
            response.header("X-Content-Type-Options", "nosniff");
            response.header("Cross-Origin-Resource-Policy", "same-origin");
        }
    }
}
