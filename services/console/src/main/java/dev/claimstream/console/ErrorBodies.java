package dev.claimstream.console;

import dev.claimstream.kubernetes.ClusterFault;
import io.micronaut.context.annotation.Primary;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import io.micronaut.http.server.exceptions.response.Error;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import jakarta.inject.Singleton;

/** Renders all errors in one JSON format. */
final class ErrorBodies {
    private ErrorBodies() {}

    /** Handles errors of the HTTP server: an unknown path, a body that is too large. */
    @Singleton
    @Primary
    static final class ServerErrorBody implements ErrorResponseProcessor<String> {
        @Override
        public MutableHttpResponse<String> processResponse(ErrorContext context, MutableHttpResponse<?> base) {
            HttpStatus status = HttpStatus.valueOf(base.code());
            if (status == HttpStatus.NOT_FOUND && LoopbackFilter.isBareRoot(context.getRequest())) {
                return LoopbackFilter.wrongNumberOfHosts(0); // a malformed URI is a bad request and not a missing path
            }
            String message = context.getErrors().stream()
                    .findFirst()
                    .map(Error::getMessage)
                    .orElse(status.getReason());
            return RejectedRequestException.response(
                    status, message, context.getRequest().getPath(), remedy(status));
        }

        private static String remedy(HttpStatus status) {
            return switch (status) {
                case NOT_FOUND, METHOD_NOT_ALLOWED -> "GET /api/v1 lists all paths";
                case BAD_REQUEST -> "correct path and query, and write % as %25; GET /api/v1 lists all paths";
                case REQUEST_ENTITY_TOO_LARGE -> "send it in smaller parts";
                default -> status.getCode() >= 500 ? "see the log of the process" : "";
            };
        }
    }

    /** Handles requests that the console rejects. */
    @Singleton
    static final class RejectedRequestBody implements ExceptionHandler<RejectedRequestException, HttpResponse<String>> {
        @Override
        @SuppressWarnings("rawtypes") // raw type as in the interface
        public HttpResponse<String> handle(HttpRequest request, RejectedRequestException rejection) {
            return rejection.response();
        }
    }

    /** Returns 503 with the problem and its remedy. */
    @Singleton
    static final class ClusterFaultBody implements ExceptionHandler<ClusterFault, HttpResponse<String>> {
        @Override
        @SuppressWarnings("rawtypes") // raw type as in the interface
        public HttpResponse<String> handle(HttpRequest request, ClusterFault fault) {
            return RejectedRequestException.response(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    fault.problem(),
                    request.getPath(),
                    fault.remedy().isEmpty() ? "try again" : fault.remedy());
        }
    }
}
