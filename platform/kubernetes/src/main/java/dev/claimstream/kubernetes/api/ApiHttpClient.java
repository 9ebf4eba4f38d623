package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.claimstream.kubernetes.ClusterFault;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * HTTP client for an API server. It does not retry, and it observes {@code Retry-After}.
 *
 * <p>Requests that {@link RetryAfterGate} blocks fail at once with a {@link ClusterFault}. Safe for use by several threads.
 */
final class ApiHttpClient implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();

    private static final String JSON_TYPE = "application/json";
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(15);
    private static final Duration STREAM_TIMEOUT = Duration.ofSeconds(60);

    private final String url;
    private final String credentialsSource;
    private final HttpClient http;
    private final Duration responseTimeout;
    private final RetryAfterGate retryAfterGate = new RetryAfterGate(System::nanoTime);

    private ApiHttpClient(String url, String credentialsSource, HttpClient http, Duration answerWithin) {
        this.url = trimTrailingSlash(url);
        this.credentialsSource = credentialsSource;
        this.http = http;
        this.responseTimeout = answerWithin;
    }

    /** @throws IllegalArgumentException if the access is unusable; the message contains the remedy */
    static ApiHttpClient open(ApiAccess access) {
        return open(access.config(), access.credentialsSource());
    }

    /** Opens a client that impersonates another user. */
    static ApiHttpClient openAs(String user, ApiAccess access) {
        return open(
                new ConfigBuilder(access.config()).withImpersonateUsername(user).build(), access.credentialsSource());
    }

    private static ApiHttpClient open(Config config, String credentialsSource) {
        try {
            HttpClient http =
                    HttpClientUtils.getHttpClientFactory().newBuilder(config).build();
            return new ApiHttpClient(config.getMasterUrl(), credentialsSource, http, RESPONSE_TIMEOUT);
        } catch (KubernetesClientException e) { // invalid keys or certificates
            throw new IllegalArgumentException(
                    "keys or certificates of %s cannot be used: %s: see kubectl config view"
                            .formatted(credentialsSource, FailureMessage.of(e)),
                    e);
        }
    }

    /** For tests: plain HTTP without credentials. */
    static ApiHttpClient at(String url, Duration answerWithin) {
        Config config = Config.empty();
        config.setMasterUrl(url);
        config.setRequestRetryBackoffLimit(0);
        return new ApiHttpClient(
                url,
                "no user",
                HttpClientUtils.getHttpClientFactory().newBuilder(config).build(),
                answerWithin);
    }

    static String trimTrailingSlash(String url) {
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    /** Returns the URL without a trailing slash. */
    String url() {
        return url;
    }

    /** Maps an error response that the caller does not handle itself. */
    ClusterFault failure(Reply reply, String problem, String remedy) {
        return reply.code() == HttpURLConnection.HTTP_UNAUTHORIZED
                ? unauthorized(reply.message())
                : reply.retryAfter()
                        .map(_ -> reply.fault(problem))
                        .orElseGet(() -> ClusterFault.withRemedy("%s: %s".formatted(problem, reply.message()), remedy));
    }

    /**
     * Maps a 401.
     *
     * @param message message of the server
     */
    ClusterFault unauthorized(String message) {
        return ClusterFault.denied(
                "%s does not accept the credentials of %s: %s".formatted(url, credentialsSource, message),
                "log in again, or select another context");
    }

    /** @throws ClusterFault if there is no response */
    Reply get(String path) {
        return exchange(http.newHttpRequestBuilder().uri(url + path).build(), responseTimeout);
    }

    /** @throws ClusterFault if the outcome of the write is not known */
    Reply patch(String path, String body) {
        return send("PATCH", path, "application/strategic-merge-patch+json", body);
    }

    /** @throws ClusterFault if the outcome of the write is not known */
    Reply post(String path, String body) {
        return send("POST", path, JSON_TYPE, body);
    }

    /** @throws ClusterFault if the outcome of the write is not known */
    Reply put(String path, String body) {
        return send("PUT", path, JSON_TYPE, body);
    }

    /** @throws ClusterFault if the outcome of the write is not known */
    Reply delete(String path) {
        return send("DELETE", path, JSON_TYPE, "{}");
    }

    private Reply send(String method, String path, String type, String body) {
        return exchange(
                http.newHttpRequestBuilder()
                        .uri(url + path)
                        .method(method, type, body)
                        .build(),
                responseTimeout);
    }

    /**
     * Returns the {@code Date} header of the server; empty if there is none.
     *
     * @throws ClusterFault if there is no response
     */
    Optional<String> date() {
        HttpRequest request = http.newHttpRequestBuilder().uri(url + "/version").build();
        return Optional.ofNullable(awaitResponse(request, () -> http.sendAsync(request, byte[].class), responseTimeout)
                .header("Date"));
    }

    /** A response whose body is read while it arrives. */
    record StreamingReply(int code, InputStream body, Optional<Duration> retryAfter) {}

    /** @throws ClusterFault if no response starts in time */
    StreamingReply stream(String path) {
        HttpRequest request =
                http.newHttpRequestBuilder().uri(url + path).forStreaming().build();
        HttpResponse<InputStream> response =
                awaitResponse(request, () -> http.sendAsync(request, InputStream.class), STREAM_TIMEOUT);
        return new StreamingReply(response.code(), response.body(), retryAfter(request, response));
    }

    private Reply exchange(HttpRequest request, Duration within) {
        HttpResponse<byte[]> response = awaitResponse(request, () -> http.sendAsync(request, byte[].class), within);
        return new Reply(
                response.code(),
                json(response.body()),
                retryAfter(request, response),
                Optional.ofNullable(response.header("Audit-Id")).orElse(""));
    }

    private <T> HttpResponse<T> awaitResponse(
            HttpRequest request, Supplier<CompletableFuture<HttpResponse<T>>> sending, Duration within) {
        retryAfterGate.remaining(target(request)).ifPresent(pause -> {
            throw new ClusterFault(
                    "%s asks to delay %s for another %d ms".formatted(url, target(request), pause.toMillis()), pause);
        });
        CompletableFuture<HttpResponse<T>> answer = sending.get();
        try {
            return answer.get(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new ClusterFault(
                    "%s did not respond to %s within %d s".formatted(url, request.method(), within.toSeconds()), e);
        } catch (ExecutionException e) {
            throw ClusterFault.withRemedy(
                    "no response from %s: %s".formatted(url, FailureMessage.of(e)),
                    "check that it runs and can be reached from here: kubectl version",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            answer.cancel(true);
            throw new ClusterFault("the wait for %s was interrupted".formatted(url), e);
        }
    }

    static JsonNode json(byte[] text) {
        try {
            return text.length == 0 ? MissingNode.getInstance() : JSON.readTree(text);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance(); // HTML of a proxy on the way
        } catch (IOException e) {
            throw new ClusterFault("a response cannot be read: " + e.getMessage(), e);
        }
    }

    private static String target(HttpRequest request) {
        return request.method() + " " + request.uri().getPath();
    }

    private Optional<Duration> retryAfter(HttpRequest request, HttpResponse<?> response) {
        Optional<Duration> pause = Optional.ofNullable(response.header("Retry-After"))
                .filter(text -> text.matches("[0-9]{1,5}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                .map(each -> each.compareTo(RetryAfterGate.MAX_DURATION) < 0 ? each : RetryAfterGate.MAX_DURATION);
        pause.ifPresent(each -> retryAfterGate.block(target(request), each));
        return pause;
    }

    @Override
    public void close() {
        http.close();
    }
}
