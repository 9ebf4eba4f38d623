package dev.claimstream.console;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.context.ServerRequestContext;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Passes questions to another service over HTTP, and its answers back. Users and pages reach the console only. Thread-safe.
 *
 * <p>The token of a user is passed on, so that the other service decides what this user sees. A service that answers
 * requests without a token is not asked for a user.
 */
final class ServiceRelay {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

    /** Time after which the service is probed again: it may have been started with other settings. */
    private static final Duration GUARD_KEPT = Duration.ofSeconds(10);

    private static final int BAD_REQUEST = 400;

    /** Headers of the simulator that repeat its result for programs. */
    private static final List<String> RESULT_HEADERS = List.of("Claimstream-Fits", ClaimsController.STATE_HEADER);

    private final String service;
    private final Optional<URI> address;
    private final Optional<HttpClient> http;
    private volatile Optional<Long> guardedAt = Optional.empty();

    /**
     * Creates a relay.
     *
     * @param service name of the service
     * @param address its URL; empty text if there is none
     */
    ServiceRelay(String service, String address) {
        this.service = service;
        this.address = Optional.of(address.strip().replaceFirst("/+$", ""))
                .filter(each -> !each.isEmpty())
                .map(URI::create);
        http = this.address.map(_ -> HttpClient.newBuilder()
                .connectTimeout(CONNECT_TIMEOUT)
                .proxy(HttpClient.Builder.NO_PROXY)
                .build());
    }

    String service() {
        return service;
    }

    /** Returns whether the service has an address. */
    boolean isKnown() {
        return address.isPresent();
    }

    private RejectedRequestException absent() {
        return new RejectedRequestException(
                HttpStatus.NOT_IMPLEMENTED,
                "this console has no %s service".formatted(service),
                "",
                "run claimstream up --with %1$s, or set claimstream.console.%1$s-url to the address of a %1$s service"
                        .formatted(service));
    }

    /** A parameter of a question. */
    record RelayParameter(String name, String value) {
        private String encoded() {
            return name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
        }
    }

    /** Asks a question. The answer is JSON. */
    MutableHttpResponse<String> get(String path, SortedMap<String, String> parameters) {
        List<RelayParameter> all = parameters.entrySet().stream()
                .map(each -> new RelayParameter(each.getKey(), each.getValue()))
                .toList();
        return send(() -> request(path, all, MediaType.APPLICATION_JSON_TYPE).GET());
    }

    /** Asks a question without parameters. The answer has an accepted type. */
    MutableHttpResponse<String> get(String path, MediaType accepted) {
        return send(() -> request(path, List.of(), accepted).GET());
    }

    /** Asks a question with a body. The answer has an accepted type. */
    MutableHttpResponse<String> post(String path, List<RelayParameter> parameters, byte[] body, MediaType accepted) {
        return send(() -> request(path, parameters, accepted).POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    private HttpRequest.Builder request(String path, List<RelayParameter> parameters, MediaType accepted) {
        String query = parameters.stream()
                .map(RelayParameter::encoded)
                .collect(Collectors.joining("&", parameters.isEmpty() ? "" : "?", ""));
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(address.orElseThrow(this::absent) + path + query))
                .header(HttpHeaders.ACCEPT, accepted.getName())
                .timeout(ANSWER_TIMEOUT);
        token().ifPresent(each -> {
            requireGuarded();
            request.header(HttpHeaders.AUTHORIZATION, each);
        });
        return request;
    }

    /** Returns the header with the token of the user whose request this thread answers; empty on loopback. */
    private static Optional<String> token() {
        Optional<io.micronaut.http.HttpRequest<Object>> request = ServerRequestContext.currentRequest();
        return request.filter(each -> !RequestAccess.caller(each).isLocal())
                .flatMap(each -> each.getHeaders().findFirst(HttpHeaders.AUTHORIZATION));
    }

    /** Checks that the service rejects a request without a token: it would show everything to every user. */
    private void requireGuarded() {
        long now = System.nanoTime();
        if (guardedAt.filter(at -> now - at < GUARD_KEPT.toNanos()).isPresent()) {
            return;
        }
        HttpRequest probe = HttpRequest.newBuilder(URI.create(address.orElseThrow() + "/api/v1/guard"))
                .timeout(ANSWER_TIMEOUT)
                .build();
        int status = exchange(probe).statusCode();
        if (status == HttpStatus.FORBIDDEN.getCode()) {
            throw new RejectedRequestException(
                    HttpStatus.BAD_GATEWAY,
                    "the %s does not answer under the name in %s".formatted(service, address.orElseThrow()),
                    service,
                    "add it to claimstream.%s.allowed-hosts".formatted(service));
        }
        if (status != HttpStatus.UNAUTHORIZED.getCode()) {
            throw new RejectedRequestException(
                    HttpStatus.BAD_GATEWAY,
                    "the %s at %s answers requests without a token".formatted(service, address.orElseThrow()),
                    service,
                    "set claimstream.access.mode: kubernetes for it");
        }
        guardedAt = Optional.of(now);
    }

    private MutableHttpResponse<String> send(Supplier<HttpRequest.Builder> request) {
        HttpResponse<String> answer = exchange(request.get().build());
        if (answer.statusCode() >= BAD_REQUEST) {
            return rejected(answer);
        }
        boolean isText = answer.headers()
                .firstValue(HttpHeaders.CONTENT_TYPE)
                .filter(type -> type.startsWith(MediaType.TEXT_PLAIN))
                .isPresent();
        MutableHttpResponse<String> response = io.micronaut.http.HttpResponse.ok(answer.body())
                .contentType(isText ? MediaType.TEXT_PLAIN_TYPE : MediaType.APPLICATION_JSON_TYPE);
        RESULT_HEADERS.forEach(
                name -> answer.headers().firstValue(name).ifPresent(value -> response.header(name, value)));
        return response;
    }

    private HttpResponse<String> exchange(HttpRequest request) {
        try {
            return http.orElseThrow(this::absent).send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new RejectedRequestException(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    "the %s at %s does not respond".formatted(service, address.orElseThrow()),
                    "",
                    "check that it runs, and the setting claimstream.console.%s-url".formatted(service));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RejectedRequestException(HttpStatus.SERVICE_UNAVAILABLE, "the console stops", "", "try again");
        }
    }

    private MutableHttpResponse<String> rejected(HttpResponse<String> response) {
        try {
            if (TreeReader.json(response.body()) instanceof Tree.Mapping fields
                    && fields.fields().get("error") instanceof Tree.Text(String error)) {
                String remedy = fields.fields().get("remedy") instanceof Tree.Text(String text) ? text : "";
                HttpStatus status = response.statusCode() == HttpStatus.FORBIDDEN.getCode()
                                && token().isEmpty() // the console's own mistake, such as a host that is not allowed
                        ? HttpStatus.BAD_GATEWAY
                        : HttpStatus.valueOf(response.statusCode());
                return RejectedRequestException.response(status, error, service, remedy);
            }
        } catch (IllegalArgumentException e) {
            // no JSON, or no known status: another program listens there
        }
        return RejectedRequestException.response(
                HttpStatus.BAD_GATEWAY,
                "%s is no %s: it responds with %d".formatted(address.orElseThrow(), service, response.statusCode()),
                service,
                "correct the setting claimstream.console.%s-url".formatted(service));
    }
}
