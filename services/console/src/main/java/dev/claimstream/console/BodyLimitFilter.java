package dev.claimstream.console;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.core.order.Ordered;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;

/**
 * Rejects a what-if question above the limit of the simulator before its body is read. The limit of the server is higher, because changes
 * have larger bodies. The pattern also matches the path with a slash at its end, which the router accepts.
 */
@ServerFilter("/api/v1/simulate/**")
final class BodyLimitFilter implements Ordered {
    static final int BODY_BYTES_MAX = 8 << 20;

    /** After the checks of host and user. */
    private static final int ORDER = 200;

    @Override
    public int getOrder() {
        return ORDER;
    }

    @RequestFilter
    @Nullable
    HttpResponse<?> check(HttpRequest<?> request) {
        if (request.getContentLength() > BODY_BYTES_MAX) {
            return RejectedRequestException.response(
                    HttpStatus.REQUEST_ENTITY_TOO_LARGE,
                    "the body has more than 8 MiB",
                    "body",
                    "ask about fewer objects at once");
        }
        return request.getHeaders().contains(HttpHeaders.TRANSFER_ENCODING)
                ? RejectedRequestException.response(
                        HttpStatus.LENGTH_REQUIRED,
                        "the size of the body is not known",
                        "body",
                        "send the header Content-Length")
                : null;
    }
}
